import type { PlacedName } from './bootstrap-facts.ts';
import type { Seen } from './seen.ts';

/** Clusters that ads_config names and the bootstrap does not have. An override is not the whole, so nothing follows from it. */
export function unknownAds(seen: Seen): readonly PlacedName[] {
  if (seen.of('state').length > 0) return [];
  return seen.bootstraps
    .filter(({ isOverride }) => !isOverride)
    .flatMap(({ adsClusters, clusters }) => adsClusters.filter(({ name }) => !clusters.some((one) => one.name === name)));
}
