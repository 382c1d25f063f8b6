import { istiodQuirks } from '../protocol/quirks.ts';
import type { Resource } from '../protocol/resource.ts';
import type { Scenario } from './scenario.ts';

/** A scenario that serves resources to everybody and has no steps and no expectations: what `serve` makes of files with resources. */
export function scenarioOfResources(name: string, resources: readonly Resource[]): Scenario {
  return {
    name,
    title: `serves ${name}`,
    about: '',
    tags: [],
    layers: [{ resources }],
    withhold: [],
    istiod: { state: 'up', ready: true, quirks: istiodQuirks },
    bootstrap: {},
    envoy: { args: [], variants: ['sotw', 'delta'] },
    steps: [],
    expectations: [],
    timeoutMs: 30_000,
  };
}
