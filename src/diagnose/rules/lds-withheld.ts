import { failures, isUnderWay, unanswered, withheld } from '../asked.ts';
import type { Rule } from '../rule.ts';

/** LDS. */
export const ldsWithheld: Rule = {
  id: 'lds-withheld',
  area: 'config',
  cause: 'LDS is asked for and not answered',
  symptom: 'INITIALIZING; `cds.update_success` 1, `lds.update_attempt` 1 and no success',
  rulesOut: '`lds.update_success` or `update_rejected` above zero',
  next: "istiod's log for an LDS push to this proxy; istioctl proxy-status (NOT SENT)",
  shows: (seen, standing) =>
    isUnderWay(standing)
      ? [
          ...withheld(seen, 'LDS'),
          ...(failures(seen).length === 0 || standing.isConnected === true || standing.hasClusters
            ? unanswered(seen, 'LDS').filter(() => standing.hasClusters === true || standing.isConnected === true)
            : []),
        ]
      : [],
};
