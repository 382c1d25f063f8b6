import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { matchesNode, type Node, type NodeMatcher } from '../protocol/node.ts';
import { resourceType } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import { changeSnapshot, difference, emptySnapshot, typeState, type Snapshot, type SnapshotChange } from '../protocol/snapshot.ts';
import type { Layer } from '../script/command.ts';
import type { SnapshotPublished } from './session-event.ts';

interface StoredLayer {
  readonly node: NodeMatcher | undefined;
  snapshot: Snapshot;
}

/** The resource with its content's hash as its version (quirk `resource-version: content`). */
function withContentVersion(resource: Resource): Resource {
  return resource.version === undefined ? { ...resource, version: createHash('sha256').update(resource.value).digest('hex').slice(0, 16) } : resource;
}

function withContentVersions({ replace, set, remove }: SnapshotChange): SnapshotChange {
  return {
    ...(replace ? { replace: new Map([...replace].map(([typeUrl, list]) => [typeUrl, list.map(withContentVersion)])) } : {}),
    ...(set ? { set: set.map(withContentVersion) } : {}),
    ...(remove ? { remove } : {}),
  };
}

/** What the layers hold by type, as a change that replaces whole types. */
function replacement(resources: readonly Resource[]): SnapshotChange {
  const replace = new Map<string, Resource[]>();
  for (const resource of resources) replace.set(resource.typeUrl, [...(replace.get(resource.typeUrl) ?? []), resource]);
  return { replace };
}

/**
 * What is served: a base for every node and layers on top for those that match. A node is served, type by type, what the last layer that
 * matches it and has the type says. Nodes that match the same layers share one snapshot, so that they share its bytes.
 */
export class Store {
  private readonly layers: StoredLayer[];
  private readonly clock: Clock;
  private readonly prepare: (change: SnapshotChange) => SnapshotChange;
  private counter = 0;
  private version: string;
  private composed = new Map<string, Snapshot>();

  /** `versions`: `content` gives each resource a version of its own, `empty` none, as istiod does. */
  constructor(layers: readonly Layer[], clock: Clock, versions: 'empty' | 'content') {
    this.clock = clock;
    this.prepare = versions === 'content' ? withContentVersions : (change) => change;
    this.version = this.nextVersion();
    const stored = layers.map(({ node, resources }) => ({ node, snapshot: changeSnapshot(emptySnapshot, this.prepare(replacement(resources)), this.version) }));
    this.layers = stored.some(({ node }) => !node) ? stored : [{ node: undefined, snapshot: emptySnapshot }, ...stored];
  }

  /** Counts publishes, the content at the start being the first. */
  get sequence(): number {
    return this.counter;
  }

  /** Makes `change` in a layer (0: the base) and tells what it changed. */
  publish(change: SnapshotChange, layer = 0): SnapshotPublished & { readonly typeUrls: readonly string[] } {
    const target = this.layers[layer] as StoredLayer;
    const before = target.snapshot;
    this.version = this.nextVersion();
    this.composed = new Map();
    target.snapshot = changeSnapshot(before, this.prepare(change), this.version);
    const typeUrls = [...target.snapshot.types.keys()].filter((typeUrl) => typeState(before, typeUrl) !== typeState(target.snapshot, typeUrl));
    const changes = typeUrls.map((typeUrl) => difference(typeState(before, typeUrl), typeState(target.snapshot, typeUrl)));
    return {
      event: 'snapshot.published',
      version: this.version,
      sequence: this.counter,
      types: typeUrls.map((typeUrl) => resourceType(typeUrl).short),
      names: changes.flatMap(({ changed }) => changed),
      removed: changes.flatMap(({ removed }) => removed),
      typeUrls,
    };
  }

  /** What `node` is served now. */
  snapshotFor(node: Node | undefined): Snapshot {
    const matching = this.layers.filter((layer) => matchesNode(layer.node, node));
    const key = matching.map((layer) => this.layers.indexOf(layer)).join(' ');
    const known = this.composed.get(key);
    if (known) return known;
    const types = new Map(matching.flatMap((layer) => [...layer.snapshot.types]));
    const snapshot: Snapshot = { version: this.version, sequence: this.counter, types };
    this.composed.set(key, snapshot);
    return snapshot;
  }

  /** istiod's form: RFC 3339 to the second, a slash and a process-wide counter (istio pilot/pkg/xds/discovery.go). */
  private nextVersion(): string {
    this.counter += 1;
    return `${this.clock.date().toISOString().replace(/\.\d+Z$/, 'Z')}/${this.counter}`;
  }
}
