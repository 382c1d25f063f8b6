import { subscribedNames, unanswered, withheld } from '../asked.ts';
import type { Rule } from '../rule.ts';
import { isStuckWarming, warmingByEds } from '../stuck.ts';

/** EDS (istio#5391, envoy#21425). */
export const edsWithheld: Rule = {
  id: 'eds-withheld',
  area: 'config',
  cause: 'endpoints of a cluster do not come: EDS is not answered, or answered without that name',
  symptom: 'PRE_INITIALIZING; `cds.update_success` 1, `warming_clusters` 1 or more; LDS is never asked for',
  rulesOut: '`warming_clusters` 0, or a cluster that warms although its endpoints are in the config_dump',
  next: "which clusters warm: curl -s 'localhost:15000/config_dump?resource=dynamic_warming_clusters'; /config_dump?include_eds; does istiod know that service?",
  shows: (seen, standing) =>
    isStuckWarming(seen, standing) ? [...withheld(seen, 'EDS'), ...warmingByEds(seen), ...unanswered(seen, 'EDS')] : [],
  fits: (seen, standing) =>
    isStuckWarming(seen, standing) && !seen.hasSection('CDS') ? seen.positive('cluster_manager.warming_clusters') : [],
  detail: (seen) => {
    const names = new Set([...warmingByEds(seen).map(({ name }) => name), ...subscribedNames('EDS', unanswered(seen, 'EDS'))]);
    return names.size > 0 ? `${[...names].join(', ')} ${names.size === 1 ? 'waits' : 'wait'} for endpoints` : undefined;
  },
};
