import { unknownAds } from '../ads-names.ts';
import { quoted } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** The wrong name in the right place (envoy#2785). */
export const adsClusterUnknown: Rule = {
  id: 'ads-cluster-unknown',
  area: 'bootstrap',
  cause: 'ads_config names a cluster that is not among the static clusters of the bootstrap, so Envoy exits at once',
  symptom: "exit 1 within a second; `Unknown gRPC client cluster '…'`; istiod never hears of the proxy",
  rulesOut: 'that name under static_resources.clusters',
  next: 'envoy --mode validate -c BOOTSTRAP, or fake-istiod check BOOTSTRAP; who renamed it: bootstrapOverride, EnvoyFilter?',
  words: /Unknown gRPC client cluster/,
  shows: (seen) => unknownAds(seen).map(({ at, name }) => quoted(at, `cluster_name: ${name}`)),
  detail: (seen) => {
    const [bad] = unknownAds(seen);
    if (!bad) return undefined;
    const known = seen.bootstraps.flatMap(({ clusters }) => clusters.map(({ name }) => name));
    return `it names ${bad.name}; the static clusters are ${known.join(', ') || 'none'}`;
  },
  refines: ['bootstrap-rejected'],
  makes: 'crash-loop',
};
