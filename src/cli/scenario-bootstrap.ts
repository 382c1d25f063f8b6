import { FakeIstiodError } from '../errors.ts';
import { bootstrap, type Bootstrap, type BootstrapOptions } from '../envoy/index.ts';
import { wantsCredentials, wishedBootstrap } from '../script/bootstrap-wish.ts';
import type { Scenario } from '../script/scenario.ts';

/**
 * The bootstrap that a scenario wants, without a server that runs. What `options` say goes before its wishes. Error `usage.invalid` for a
 * scenario whose Envoy has certificates or tokens of its server.
 */
export function scenarioBootstrap(scenario: Scenario | undefined, options: BootstrapOptions): Bootstrap {
  if (scenario && wantsCredentials(scenario.bootstrap)) {
    const { file, name } = scenario;
    throw new FakeIstiodError('usage.invalid', `the Envoy of ${name} has certificates or tokens of its server, and none runs here`, {
      remedy: `Let the server write the bootstrap: fake-istiod serve ${file ?? name} --bootstrap-out envoy.json`,
    });
  }
  return bootstrap({ ...(wishedBootstrap(scenario?.bootstrap) as BootstrapOptions), ...options });
}
