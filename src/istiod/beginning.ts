import type { FakeIstiodOptions } from '../options.ts';
import type { ResourceSet, ResourceUpdate } from '../protobuf/resource-set.ts';
import { istiodQuirks } from '../protocol/quirks.ts';
import type { Resource } from '../protocol/resource.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import type { IdentityCommand, Layer } from '../script/command.ts';
import type { Scenario } from '../script/scenario.ts';
import type { Beginning } from '../session/beginning.ts';

/** Makes bytes of resources. */
export interface Encoder {
  readonly replacementOf: (set: ResourceSet) => SnapshotChange;
  readonly updateOf: (update: ResourceUpdate) => SnapshotChange;
}

/** `publish` encodes at once, so what it needs is loaded before; after the ports listen, for nobody waits for it there. */
export function encoder(): Promise<Encoder> {
  return import('../protobuf/resource-set.ts');
}

/**
 * The scenario that is meant: itself, or loaded from a file or the package.
 *
 * @throws FakeIstiodError `scenario.*`, `input.*`
 */
export async function scenarioOf({
  scenario,
  maxInputBytes,
}: Pick<FakeIstiodOptions, 'scenario' | 'maxInputBytes'>): Promise<Scenario | undefined> {
  if (typeof scenario !== 'string') return scenario;
  const [{ findScenario }, { loadScenario }] = await Promise.all([import('../script/packaged.ts'), import('../script/load.ts')]);
  return loadScenario(await findScenario(scenario), maxInputBytes === undefined ? {} : { maxInputBytes });
}

/** How a scenario begins with the caller's own options laid over it. Throws `resource.invalid`. */
export async function beginningOf(scenario: Scenario | undefined, options: FakeIstiodOptions): Promise<Beginning> {
  const layers = scenario?.layers ?? [];
  return {
    scenario,
    quirks: { ...(scenario?.istiod.quirks ?? istiodQuirks), ...options.quirks },
    layers: options.serve ? withServed(layers, options.serve, await encoder()) : layers,
    identity: openingOf(options, scenario),
  };
}

/** What the scenario begins with of identity, and the caller's wish about it. */
function openingOf({ auth, pki }: FakeIstiodOptions, scenario: Scenario | undefined): readonly IdentityCommand[] {
  const begun = scenario?.identity ?? [];
  if (auth === false) return begun.filter(({ kind }) => kind !== 'auth');
  if (auth === undefined && pki === undefined) return begun;
  return [...begun, { kind: 'auth', wish: typeof auth === 'object' ? auth : {} }];
}

/** The base with the types of `serve` in place of its own. */
function withServed(layers: readonly Layer[], serve: ResourceSet, { replacementOf }: Encoder): readonly Layer[] {
  const served = replacementOf(serve).replace ?? new Map<string, readonly Resource[]>();
  const [first] = layers;
  const base: Layer = first && !first.node ? first : { resources: [] };
  const resources = [...base.resources.filter(({ typeUrl }) => !served.has(typeUrl)), ...[...served.values()].flat()];
  return [{ ...base, resources, types: [...(base.types ?? []), ...served.keys()] }, ...layers.slice(base === first ? 1 : 0)];
}
