import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { matchesNode, type Node, type NodeMatcher } from '../protocol/node.ts';
import type { Resource } from '../protocol/resource.ts';
import { changeSnapshot, difference, emptySnapshot, typesOf, typeState, type Snapshot, type SnapshotChange } from '../protocol/snapshot.ts';
import type { Layer } from '../script/command.ts';

interface StoredLayer {
  readonly node: NodeMatcher | undefined;
  snapshot: Snapshot;
}

/** What a publish did. */
export interface Published {
  readonly version: string;
  readonly sequence: number;
  /** Type URLs that were published. */
  readonly published: readonly string[];
  /** Those whose content it changed. */
  readonly changed: readonly string[];
  /** Resource names that were set, and those that were removed. */
  readonly names: readonly string[];
  readonly removed: readonly string[];
}

/** The resource with its content's hash as its version (quirk `resource-version: content`). */
function withContentVersion(resource: Resource): Resource {
  return resource.version === undefined
    ? { ...resource, version: createHash('sha256').update(resource.value).digest('hex').slice(0, 16) }
    : resource;
}

function withContentVersions({ replace, set, remove }: SnapshotChange): SnapshotChange {
  return {
    ...(replace ? { replace: new Map([...replace].map(([typeUrl, list]) => [typeUrl, list.map(withContentVersion)])) } : {}),
    ...(set ? { set: set.map(withContentVersion) } : {}),
    ...(remove ? { remove } : {}),
  };
}

/** What a layer holds, as a change that replaces whole types. */
function replacement({ resources, types = [] }: Layer): SnapshotChange {
  const replace = new Map<string, Resource[]>(types.map((typeUrl) => [typeUrl, []]));
  for (const resource of resources) {
    const list = replace.get(resource.typeUrl);
    if (list) list.push(resource);
    else replace.set(resource.typeUrl, [resource]);
  }
  return { replace };
}

/**
 * What is served: a base for every node and layers on top for those that match. A node is served, type by type, what the last layer that
 * matches it and has the type says. Nodes that match the same layers share one snapshot, so that they share its bytes.
 */
export class Store {
  /** The base first. */
  private readonly layers: StoredLayer[];
  private readonly clock: Clock;
  private readonly prepare: (change: SnapshotChange) => SnapshotChange;
  private counter = 0;
  private version: string;
  private composed = new Map<string, Snapshot>();

  /**
   * `layers`: the base first, as a scenario has them; one that is for some nodes only gets an empty base beneath it.
   * `versions`: `content` gives each resource a version of its own, `empty` none, as istiod does.
   */
  constructor(layers: readonly Layer[], clock: Clock, versions: 'empty' | 'content') {
    this.clock = clock;
    this.prepare = versions === 'content' ? withContentVersions : (change) => change;
    this.version = this.nextVersion();
    const based: readonly Layer[] = layers[0] && !layers[0].node ? layers : [{ resources: [] }, ...layers];
    this.layers = based.map((layer) => ({
      node: layer.node,
      snapshot: changeSnapshot(emptySnapshot, this.prepare(replacement(layer)), this.version),
    }));
  }

  /** Makes `change` in a layer (0: the base) and tells what it changed. Throws `options.invalid` if there is no such layer. */
  publish(change: SnapshotChange, layer = 0): Published {
    const target = this.layers[layer];
    if (!target)
      throw new FakeIstiodError('options.invalid', `there is no layer ${layer}`, {
        remedy: `The base is 0, the last one ${this.layers.length - 1}`,
      });
    const before = target.snapshot;
    this.version = this.nextVersion();
    this.composed = new Map();
    target.snapshot = changeSnapshot(before, this.prepare(change), this.version);
    const published = [...typesOf(change)];
    const changed = published.filter((typeUrl) => typeState(before, typeUrl) !== typeState(target.snapshot, typeUrl));
    const changes = changed.map((typeUrl) => difference(typeState(before, typeUrl), typeState(target.snapshot, typeUrl)));
    return {
      version: this.version,
      sequence: this.counter,
      published,
      changed,
      names: changes.flatMap((difference) => difference.changed),
      removed: changes.flatMap((difference) => difference.removed),
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
    return `${this.clock
      .date()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z')}/${this.counter}`;
  }
}
