import { inPushOrder, resourceType } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import { typeState, type Snapshot } from '../protocol/snapshot.ts';
import type { ServedResource, ServedSnapshot } from './node-state.ts';

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
