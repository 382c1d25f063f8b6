import type { Clock } from '../clock.ts';
import type { Node } from '../protocol/node.ts';
import { inPushOrder, resourceType } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import { typeState, type Snapshot } from '../protocol/snapshot.ts';
import type { Scenario } from '../script/scenario.ts';
import type { ServedResource, ServedSnapshot } from './node-state.ts';
import type { ContentMaker } from './served-layer.ts';
import { Store } from './store.ts';

/** What is served, as a list of types with lists of resources. `node`: whom it is for. */
export function servedSnapshot(snapshot: Snapshot, node: string | undefined): ServedSnapshot {
  const { version, sequence, types } = snapshot;
  return Object.freeze({
    ...(node === undefined ? {} : { node }),
    version,
    sequence,
    types: inPushOrder(types.keys()).map((typeUrl) => {
      const { resources, duplicates } = typeState(snapshot, typeUrl);
      return { typeUrl, type: resourceType(typeUrl).short, resources: [...resources.values(), ...duplicates].map(served) };
    }),
  });
}

function served({ name, version, value }: Resource): ServedResource {
  return { name, value, ...(version === undefined ? {} : { version }) };
}

/** Whom something is served to. */
export type ServedNode = Node;

/** What a scenario serves to `node` from its start. Throws `resource.invalid` if the node's own words make a resource that is none. */
export function servedFromTheStart({ layers, istiod }: Scenario, node: Node, maker: ContentMaker, clock: Clock): ServedSnapshot {
  const onFailure = (_: Node, error: unknown): never => {
    throw error;
  };
  const store = new Store(layers, clock, istiod.quirks['resource-version'], { maker: () => maker, onFailure });
  return servedSnapshot(store.snapshotFor(node), node.id);
}
