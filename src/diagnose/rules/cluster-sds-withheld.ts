import { unanswered, withheld } from '../asked.ts';
import type { Rule } from '../rule.ts';
import { isStuckWarming, waitingFor } from '../stuck.ts';

/** SDS of clusters. */
export const clusterSdsWithheld: Rule = {
  id: 'cluster-sds-withheld',
  area: 'config',
  cause: 'a secret that a cluster needs does not come: SDS is not answered',
  symptom: 'PRE_INITIALIZING; `cds.update_success` 1, `warming_clusters` 1 or more, secrets `uninitialized`; LDS is never asked for',
  rulesOut: 'no secret that warms in the config_dump',
  next: "curl -s 'localhost:15000/config_dump?resource=dynamic_warming_secrets'; with pilot-agent: does the CA sign (its log: citadelclient)?",
  shows: (seen, standing) =>
    isStuckWarming(seen, standing) ? [...withheld(seen, 'SDS'), ...seen.resources('SDS', 'warming'), ...unanswered(seen, 'SDS')] : [],
  fits: (seen, standing) =>
    isStuckWarming(seen, standing) && !seen.hasSection('CDS') && !seen.hasSection('SDS')
      ? seen.positive('cluster_manager.warming_clusters')
      : [],
  detail: (seen) =>
    waitingFor(
      seen,
      'SDS',
      seen.resources('CDS', 'warming').map(({ name }) => name),
    ),
};
