import { bootstrap, type Bootstrap, type BootstrapOptions, type JsonObject } from '../envoy/index.ts';
import type { Scenario } from '../script/scenario.ts';

/** The bootstrap that a scenario wants, without a server that runs. What `options` say goes before its wishes. */
export function scenarioBootstrap(scenario: Scenario | undefined, options: BootstrapOptions): Bootstrap {
  const { fetchTimeoutMs, adsCluster, merge } = scenario?.bootstrap ?? {};
  return bootstrap({
    ...(fetchTimeoutMs === undefined ? {} : { fetchTimeout: `${fetchTimeoutMs / 1000}s` }),
    ...(adsCluster === undefined ? {} : { adsCluster }),
    ...(merge ? { merge: merge as JsonObject } : {}),
    ...options,
  });
}
