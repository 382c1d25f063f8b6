import { failures, isUnderWay, openStream, unanswered, withheld } from '../asked.ts';
import type { Rule } from '../rule.ts';

/** CDS. */
export const cdsWithheld: Rule = {
  id: 'cds-withheld',
  area: 'config',
  cause: 'CDS is asked for and not answered',
  symptom: 'PRE_INITIALIZING; `connected_state` 1, `cds.update_attempt` 1, no success, no failure; LDS is never asked for',
  rulesOut: '`cds.update_success`, `update_rejected` or `update_failure` above zero',
  next: "istiod's log for a CDS push to this proxy; istioctl proxy-status (NOT SENT)",
  shows: (seen, standing) => [
    ...(isUnderWay(standing) ? withheld(seen, 'CDS') : []),
    ...(isUnderWay(standing) &&
    failures(seen).length === 0 &&
    unanswered(seen, 'CDS').length > 0 &&
    seen.xdsPositive('upstream_cx_rx_bytes_total').length > 0
      ? [...unanswered(seen, 'CDS'), ...openStream(seen)]
      : []),
  ],
  fits: (seen, standing) =>
    isUnderWay(standing) && failures(seen).length === 0 && seen.xds('upstream_cx_rx_bytes_total') === undefined
      ? [...unanswered(seen, 'CDS'), ...seen.positive('control_plane.connected_state')].slice(0, unanswered(seen, 'CDS').length > 0 ? 3 : 0)
      : [],
};
