import { FakeIstiodError } from '../errors.ts';
import { bootstrap, type Bootstrap, type BootstrapOptions } from '../envoy/index.ts';
import { wantsCredentials, wishedBootstrap, wishOf } from '../script/bootstrap-wish.ts';
import type { Scenario } from '../script/scenario.ts';

/**
 * The bootstrap that a scenario wants, without a server that runs. Of several Envoys: the first one's. What `options` say goes before its wishes. Error `usage.invalid` for a
 * scenario whose Envoy has certificates or tokens of its server.
 */
export function scenarioBootstrap(scenario: Scenario | undefined, options: BootstrapOptions): Bootstrap {
  const wish = wishOf(scenario);
  if (scenario && wantsCredentials(wish)) {
    const { file, name } = scenario;
    throw new FakeIstiodError('usage.invalid', `the Envoy of ${name} has certificates or tokens of its server, and none runs here`, {
      remedy: `Let the server write the bootstrap: fake-istiod serve ${file ?? name} --bootstrap-out envoy.json`,
    });
  }
  return bootstrap({ ...(wishedBootstrap(wish) as BootstrapOptions), ...options });
}
