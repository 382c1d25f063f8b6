import { isReached } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Dropped. */
export const xdsDropped: Rule = {
  id: 'xds-dropped',
  area: 'connection',
  cause: "packets to istiod's port are dropped: connecting runs into its timeout",
  symptom: '`upstream_cx_connect_timeout` grows; `closed: 14, … connection timeout`; retries are far apart',
  rulesOut: 'an answer of any kind from that port, even a refusal',
  next: 'a NetworkPolicy or firewall between the pod and istiod: kubectl get networkpolicy -A; nc -vz -w 3 istiod.istio-system.svc 15012',
  // Who gets as far as TLS, or is seen by istiod, is not dropped; a timeout beside that is of a busy machine.
  shows: (seen) =>
    isReached(seen)
      ? []
      : [
          ...seen.xdsPositive('upstream_cx_connect_timeout'),
          ...seen.log(
            /delayed_connect_error:_?\s?(Connection_timed_out|Operation_timed_out)|reset reason: connection timeout|connection_timeout|:15012: i\/o timeout|dial tcp(?: [\d.:[\]a-f]+)?: i\/o timeout|context deadline exceeded.*15012/,
          ),
        ],
  refines: ['xds-refused', 'xds-silent', 'cds-withheld'],
};
