import type { Rule } from '../rule.ts';

/** EDS after every CDS (envoy#46383). */
export const clusterStaysWarming: Rule = {
  id: 'cluster-stays-warming',
  area: 'after',
  cause: 'a cluster that was changed warms: its new form is not in use before its endpoints or secrets come anew',
  symptom: 'LIVE, `warming_clusters` above zero; the old form of the cluster serves',
  rulesOut: '`warming_clusters` that falls by itself: slow, not stuck',
  next: "a second look; curl -s 'localhost:15000/config_dump?resource=dynamic_warming_clusters'",
  shows: (seen, { state }) =>
    state === 'LIVE' ? [...seen.positive('cluster_manager.warming_clusters'), ...seen.resources('CDS', 'warming')] : [],
  detail: (seen) =>
    seen
      .resources('CDS', 'warming')
      .map(({ name }) => name)
      .join(', ') || undefined,
  whenReady: true,
};
