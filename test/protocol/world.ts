import type { Node } from '../../src/protocol/node.ts';
import { resourceTypeNamed } from '../../src/protocol/resource-type.ts';
import type { Resource } from '../../src/protocol/resource.ts';
import type { Response } from '../../src/protocol/response.ts';
import { changeSnapshot, emptySnapshot, type Snapshot, type SnapshotChange } from '../../src/protocol/snapshot.ts';

export type Short = 'CDS' | 'EDS' | 'LDS' | 'RDS' | 'SRDS' | 'SDS' | 'HEALTH';
/** Resources by name with a text as their content, by type. */
export type Contents = Partial<Record<Short, Readonly<Record<string, string>>>>;

export const node: Node = {
  id: 'sidecar~10.0.0.1~shop.demo~demo.svc.cluster.local',
  cluster: 'shop.demo',
  metadata: { NAMESPACE: 'demo' },
};

export function url(short: string): string {
  return resourceTypeNamed(short)?.typeUrl ?? short;
}

export function resource(type: Short, name: string, text: string): Resource {
  return { typeUrl: url(type), name, value: Buffer.from(text) };
}

/** True for an assignment of which nothing is there but its name: what is said of a cluster that has no endpoints. */
export function saysNothingIsThere({ typeUrl, name, value }: Resource): boolean {
  return typeUrl === url('EDS') && Buffer.from(value).toString() === `\n${String.fromCharCode(name.length)}${name}`;
}

/** `a=1` for a resource, `-a` for a removed name, in the order sent. */
export function contentOf({ resources, removed }: Pick<Response, 'resources' | 'removed'>): string[] {
  const text = (resource: Resource): string => (saysNothingIsThere(resource) ? 'empty' : Buffer.from(resource.value).toString());
  return [...resources.map((resource) => `${resource.name}=${text(resource)}`), ...removed.map((name) => `-${name}`)];
}

/** What is served, as a test changes it. Versions count up: v1, v2 … */
export class World {
  snapshot: Snapshot = emptySnapshot;

  constructor(contents: Contents = {}) {
    this.replace(contents);
  }

  /** The types given are now this. */
  replace(contents: Contents): Snapshot {
    const lists = Object.entries(contents).map(
      ([type, named]) => [url(type), Object.entries(named ?? {}).map(([name, text]) => resource(type as Short, name, text))] as const,
    );
    return this.change({ replace: new Map(lists) });
  }

  change(change: SnapshotChange): Snapshot {
    this.snapshot = changeSnapshot(this.snapshot, change, `v${this.snapshot.sequence + 1}`);
    return this.snapshot;
  }
}
