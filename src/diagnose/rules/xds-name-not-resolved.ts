import { nameFailures } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** DNS. */
export const xdsNameNotResolved: Rule = {
  id: 'xds-name-not-resolved',
  area: 'connection',
  cause: "istiod's name is not resolved, so the cluster that leads to it has no host",
  symptom: '`closed: 14, no healthy upstream`; no connection is even tried: `upstream_cx_total` 0, `membership_total` 0',
  rulesOut: 'a host of that cluster in /clusters, or `upstream_cx_total` above zero',
  next: 'getent hosts istiod.istio-system.svc in the pod; is the service there: kubectl get svc -n istio-system',
  words:
    /(closed|CSR|certificate|upstream|XDS|CA).*(no such host|lookup \S+( on \S+)?: .*(i\/o timeout|server misbehaving|connection refused)|Temporary failure in name resolution)|DNS resolution failed/,
  shows: (seen, standing) => (standing.state === 'LIVE' && standing.isConnected !== false ? [] : nameFailures(seen)),
  // A cluster without hosts may also wait for its certificate (Istio before 1.9), or be served no endpoints.
  fits: (seen) => seen.log(/no healthy upstream/).slice(-1),
};
