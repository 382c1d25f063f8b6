import { failures, isUnderWay, unanswered } from '../asked.ts';
import type { Evidence } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** Silent. */
export const xdsSilent: Rule = {
  id: 'xds-silent',
  area: 'config',
  cause: "istiod's port accepts connections and never says a word",
  symptom: '`connected_state` 1, `cds.update_attempt` 1, no failure, and not one byte came: `upstream_cx_rx_bytes_total` 0',
  rulesOut: '`upstream_cx_rx_bytes_total` above zero: an HTTP/2 server greets at once',
  next: 'what is behind the address: a proxy without backend, a suspended process? openssl s_client -connect istiod.istio-system.svc:15012',
  shows: (seen, standing) => [
    ...(isUnderWay(standing) &&
    failures(seen).length === 0 &&
    standing.state !== 'INITIALIZING' &&
    unanswered(seen, 'CDS').length > 0 &&
    seen.xds('upstream_cx_rx_bytes_total')?.value === 0 &&
    seen.xdsPositive('upstream_cx_total').length > 0
      ? [...unanswered(seen, 'CDS'), seen.xds('upstream_cx_rx_bytes_total') as Evidence]
      : []),
    ...(standing.state === 'LIVE'
      ? []
      : seen
          .events('server.silenced')
          .filter(() => seen.events('stream.opened').length === 0)
          .slice(-1)),
  ],
  fits: (seen, standing) =>
    isUnderWay(standing) &&
    failures(seen).length === 0 &&
    seen.xds('upstream_cx_rx_bytes_total') === undefined &&
    standing.state !== 'INITIALIZING'
      ? unanswered(seen, 'CDS')
      : [],
  refines: ['cds-withheld'],
};
