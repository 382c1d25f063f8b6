import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { matchesNode, type Node, type NodeMatcher } from '../protocol/node.ts';
import { inPushOrder } from '../protocol/resource-type.ts';
import type { Resource } from '../protocol/resource.ts';
import { difference, emptySnapshot, typesOf, typeState, type Snapshot, type SnapshotChange } from '../protocol/snapshot.ts';
import type { Layer } from '../script/command.ts';
import type { Mesh } from '../services/mesh.ts';
import type { NodeContent } from '../services/node-content.ts';
import { ServedLayer, type LayerSurroundings } from './served-layer.ts';

/** Who makes what depends on the node, and is told when that fails. */
export type ContentSurroundings = Omit<LayerSurroundings, 'prepare'>;

const noContent: ContentSurroundings = { maker: () => undefined, onFailure: () => undefined };

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

function allTypes(layers: readonly ServedLayer[]): readonly string[] {
  return inPushOrder(new Set(layers.flatMap(({ types }) => types)));
}

/** Each layer before and after; one that is for other nodes than its predecessor has none. */
function stepsBetween(before: readonly ServedLayer[], after: readonly ServedLayer[]): readonly (readonly [Snapshot, Snapshot])[] {
  const isSame = (a: ServedLayer, b: ServedLayer): boolean => JSON.stringify(a.node ?? null) === JSON.stringify(b.node ?? null);
  const followed = after.map((layer) => [before.find((old) => isSame(old, layer))?.snapshot ?? emptySnapshot, layer.snapshot] as const);
  const gone = before.filter((old) => !after.some((layer) => isSame(old, layer)));
  return [...followed, ...gone.map(({ snapshot }) => [snapshot, emptySnapshot] as const)];
}

/**
 * What is served: a base for every node and layers on top for those that match. A node is served, type by type, what the last layer that
 * matches it and has the type says. Nodes that match the same layers share one snapshot, so that they share its bytes.
 */
export class Store {
  /** What was served at the beginning, told as a publish. */
  readonly first: Published;
  /** The base first. */
  private layers: readonly ServedLayer[] = [];
  private readonly clock: Clock;
  private readonly content: ContentSurroundings;
  private versions: 'empty' | 'content';
  private counter = 0;
  private version = '';
  private composed = new Map<string, Snapshot>();

  /**
   * `layers`: the base first, as a scenario has them; one that is for some nodes only gets an empty base beneath it.
   * `versions`: `content` gives each resource a version of its own, `empty` none, as istiod does. `content`: who makes what depends on
   * the node; default: nobody.
   */
  constructor(layers: readonly Layer[], clock: Clock, versions: 'empty' | 'content', content: ContentSurroundings = noContent) {
    this.clock = clock;
    this.content = content;
    this.versions = versions;
    this.first = this.begin(layers, versions);
  }

  /** Serves these layers in place of all others, as if they had been there from the beginning, and tells what that changed. */
  begin(layers: readonly Layer[], versions: 'empty' | 'content'): Published {
    this.versions = versions;
    this.version = this.nextVersion();
    this.composed = new Map();
    const based: readonly Layer[] = layers[0] && !layers[0].node ? layers : [{ resources: [] }, ...layers];
    const before = this.layers;
    this.layers = based.map((layer) => this.newLayer(layer));
    return this.published(allTypes([...before, ...this.layers]), stepsBetween(before, this.layers));
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
    target.change(change, this.version);
    return this.published([...typesOf(change)], [[before, target.snapshot]]);
  }

  /**
   * Makes `change` for the nodes that `node` means, in the layer that is for exactly them; it is made on top of all others if there is none.
   * Of a type that the layer does not have yet, single resources are changed in what these nodes are served so far. `known`: the node, if it
   * is one that is connected.
   */
  publishTo(node: NodeMatcher, change: SnapshotChange, known?: Node): Published {
    const served = this.snapshotFor(known ?? { id: node.id ?? '', cluster: node.cluster ?? '', metadata: node.metadata ?? {} });
    const place = this.layers.findIndex((layer) => layer.node && JSON.stringify(layer.node) === JSON.stringify(node));
    if (place === -1) this.layers = [...this.layers, this.newLayer({ node, resources: [] })];
    const layer = place === -1 ? this.layers.length - 1 : place;
    const target = this.layers[layer] as ServedLayer;
    const missing = [...typesOf(change)].filter((typeUrl) => !target.snapshot.types.has(typeUrl));
    const types = new Map([...target.snapshot.types, ...missing.map((typeUrl) => [typeUrl, typeState(served, typeUrl)] as const)]);
    target.snapshot = { ...target.snapshot, types };
    return this.publish(change, layer);
  }

  /** Serves other services of the mesh, in the base. */
  changeServices(services: Extract<NodeContent, { kind: 'services' }>): Published {
    const base = this.layers[0] as ServedLayer;
    this.version = this.nextVersion();
    this.composed = new Map();
    base.changeServices(services);
    // Whom it concerns, and in which names, each node's own content will tell.
    const changed = this.content.maker()?.typesOfContent(services) ?? [];
    return { version: this.version, sequence: this.counter, published: changed, changed, names: [], removed: [] };
  }

  /** The mesh whose services are served: that of the base, or of the first layer that has one. */
  get mesh(): Mesh | undefined {
    return this.layers.find(({ services }) => services)?.services?.mesh;
  }

  /** What `node` is served now. */
  snapshotFor(node: Node | undefined): Snapshot {
    const isPlain = this.layers.length === 1 && this.layers[0]?.isPlain === true;
    const matching = isPlain ? this.layers : this.layers.filter((layer) => matchesNode(layer.node, node));
    const key = isPlain ? '0' : matching.map((layer) => `${this.layers.indexOf(layer)}${layer.keyFor(node)}`).join(' ');
    const known = this.composed.get(key);
    if (known) return known;
    const types = new Map(matching.flatMap((layer) => [...layer.snapshotFor(node, this.version).types]));
    const snapshot: Snapshot = { version: this.version, sequence: this.counter, types };
    this.composed.set(key, snapshot);
    return snapshot;
  }

  private newLayer(layer: Layer): ServedLayer {
    const prepare = (change: SnapshotChange): SnapshotChange => (this.versions === 'content' ? withContentVersions(change) : change);
    return new ServedLayer(layer, this.version, { ...this.content, prepare });
  }

  private published(published: readonly string[], steps: readonly (readonly [Snapshot, Snapshot])[]): Published {
    const changes = published.map((typeUrl) => ({
      typeUrl,
      differences: steps.map(([from, to]) => difference(typeState(from, typeUrl), typeState(to, typeUrl))),
    }));
    const changed = changes.filter(({ differences }) => differences.some(({ names }) => names.size > 0));
    const all = changed.flatMap(({ differences }) => differences);
    return {
      version: this.version,
      sequence: this.counter,
      published,
      changed: changed.map(({ typeUrl }) => typeUrl),
      names: all.flatMap((difference) => difference.changed),
      removed: all.flatMap((difference) => difference.removed),
    };
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
