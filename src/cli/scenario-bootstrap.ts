import { bootstrap, type Bootstrap, type BootstrapOptions } from '../envoy/index.ts';
import { wishedBootstrap } from '../script/bootstrap-wish.ts';
import type { Scenario } from '../script/scenario.ts';

/** The bootstrap that a scenario wants, without a server that runs. What `options` say goes before its wishes. */
export function scenarioBootstrap(scenario: Scenario | undefined, options: BootstrapOptions): Bootstrap {
  return bootstrap({ ...(wishedBootstrap(scenario?.bootstrap) as BootstrapOptions), ...options });
}
