import { rejectedNow, rejectionTexts } from '../rejection.ts';
import type { Rule } from '../rule.ts';

/** Unknown cluster (envoy#28187). */
export const routeToUnknownCluster: Rule = {
  id: 'route-to-unknown-cluster',
  area: 'rejected',
  cause: 'a route of a listener names a cluster that Envoy does not have (yet): LDS or RDS is NACKed',
  symptom: "`route: unknown cluster '…'`; `lds.update_rejected` above zero, LIVE",
  rulesOut: 'that cluster among the active ones of the config_dump',
  next: "curl -s 'localhost:15000/config_dump?resource=dynamic_active_clusters'; is CDS sent before LDS?",
  shows: (seen, standing) => [
    ...rejectedNow(seen, standing, 'LDS', /unknown cluster/),
    ...rejectedNow(seen, standing, 'RDS', /unknown cluster/),
  ],
  detail: (seen) => /unknown cluster '([^']+)'/.exec([...rejectionTexts(seen, 'LDS'), ...rejectionTexts(seen, 'RDS')].join(' '))?.[1],
  refines: ['other-nacked', 'lds-nacked'],
  whenReady: true,
};
