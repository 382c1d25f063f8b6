import { istiodQuirks } from '../../src/index.ts';
import type { IdentityCommand } from '../../src/script/command.ts';
import type { Scenario } from '../../src/script/scenario.ts';

/** A scenario that begins with these commands, and has nothing else to it. */
export function madeScenario(identity: readonly IdentityCommand[]): Scenario {
  return {
    name: 'made',
    title: 'made',
    about: '',
    tags: [],
    layers: [],
    withhold: [],
    istiod: { state: 'up', ready: true, quirks: istiodQuirks },
    identity,
    bootstrap: {},
    envoy: { args: [], variants: ['sotw', 'delta'] },
    steps: [],
    expectations: [],
    timeoutMs: 30_000,
  };
}
