import { unanswered, withheld } from '../asked.ts';
import type { Rule } from '../rule.ts';
import { isListenerStuck, isListenerStuckBy, isStuckListening, waitingFor, waitingListeners } from '../stuck.ts';

/** RDS. */
export const rdsWithheld: Rule = {
  id: 'rds-withheld',
  area: 'config',
  cause: 'routes of a listener do not come: RDS is not answered',
  symptom: 'INITIALIZING; `cds` and `lds.update_success` 1, a listener that counts as active, `workers_started` 0',
  rulesOut: 'an init_dump without RDS, or the routes in the config_dump',
  next: "curl -s localhost:15000/init_dump; istiod's log for an RDS push to this proxy",
  shows: (seen, standing) =>
    isStuckListening(standing)
      ? [...withheld(seen, 'RDS'), ...seen.waits(/\bRDS\b|RdsRouteConfig|ScopedRds|VHDS/), ...unanswered(seen, 'RDS')]
      : [],
  detail: (seen) => waitingFor(seen, 'RDS', waitingListeners(seen, /\bRDS\b|Rds/)),
  fits: (seen, standing) => (isStuckListening(standing) && isListenerStuck(seen) ? isListenerStuckBy(seen) : []),
};
