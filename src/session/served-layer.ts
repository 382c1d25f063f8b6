import type { Node, NodeMatcher } from '../protocol/node.ts';
import type { Resource } from '../protocol/resource.ts';
import { changeSnapshot, emptySnapshot, typeState, type Snapshot, type SnapshotChange } from '../protocol/snapshot.ts';
import type { Layer } from '../script/command.ts';
import type { NodeContent } from '../services/node-content.ts';

/** Who makes what depends on the node; `services/` provides it. */
export interface ContentMaker {
  typesOfContent(content: NodeContent): readonly string[];
  /** Nodes of the same key are served the same. */
  contentKey(content: NodeContent, node: Node): string;
  /** Throws `resource.invalid` if a node's own words make a resource that is none. */
  contentFor(content: NodeContent, node: Node): readonly Resource[];
}

/** What a layer takes from those around it. */
export interface LayerSurroundings {
  /** Undefined as long as no content was ever served. */
  readonly maker: () => ContentMaker | undefined;
  readonly prepare: (change: SnapshotChange) => SnapshotChange;
  /** Told when what depends on the node could not be made for one. */
  readonly onFailure: (node: Node, error: unknown) => void;
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

/** What is served to the nodes that match: resources, and what else is made for each of them. */
export class ServedLayer {
  readonly node: NodeMatcher | undefined;
  snapshot: Snapshot;
  private content: readonly NodeContent[];
  /** Types that were published whole since: what is made of them no longer counts. */
  private overridden: ReadonlySet<string> = new Set();
  private made = new Map<string, Snapshot>();
  /** As it was before the last change: what stays the same keeps its state. */
  private madeBefore: ReadonlyMap<string, Snapshot> = new Map();
  private readonly surroundings: LayerSurroundings;

  constructor(layer: Layer, version: string, surroundings: LayerSurroundings) {
    this.node = layer.node;
    this.content = layer.content ?? [];
    this.surroundings = surroundings;
    this.snapshot = changeSnapshot(emptySnapshot, surroundings.prepare(replacement(layer)), version);
  }

  /** Type URLs of which it decides what is served. */
  get types(): readonly string[] {
    const { maker } = this.surroundings;
    return [...new Set([...this.snapshot.types.keys(), ...this.content.flatMap((content) => maker()?.typesOfContent(content) ?? [])])];
  }

  /** The services of the mesh that it serves. */
  get services(): Extract<NodeContent, { kind: 'services' }> | undefined {
    return this.content.find((content) => content.kind === 'services');
  }

  /** True if it serves the same to every node. */
  get isPlain(): boolean {
    return this.node === undefined && this.content.length === 0;
  }

  change(change: SnapshotChange, version: string): void {
    this.snapshot = changeSnapshot(this.snapshot, this.surroundings.prepare(change), version);
    this.overridden = new Set([...this.overridden, ...(change.replace?.keys() ?? [])]);
    this.forgetMade();
  }

  /** Serves other services; how the mesh around them is, stays. */
  changeServices(services: Extract<NodeContent, { kind: 'services' }>): void {
    const { mesh } = this.content.find((content) => content.kind === 'services') ?? services;
    const changed = { ...services, mesh: { ...mesh, services: services.mesh.services } };
    this.content = [...this.content.filter(({ kind }) => kind !== 'services'), changed];
    const types = this.surroundings.maker()?.typesOfContent(services) ?? [];
    this.overridden = new Set([...this.overridden].filter((typeUrl) => !types.includes(typeUrl)));
    this.forgetMade();
  }

  /** What makes this node's part of the layer another one than that of other nodes; empty if nothing does. */
  keyFor(node: Node | undefined): string {
    const maker = this.surroundings.maker();
    return node && maker ? this.content.map((content) => maker.contentKey(content, node)).join('\u0001') : '';
  }

  /** What the layer serves to `node`. */
  snapshotFor(node: Node | undefined, version: string): Snapshot {
    const maker = this.surroundings.maker();
    if (!node || !maker || this.content.length === 0) return this.snapshot;
    const key = this.keyFor(node);
    const known = this.made.get(key);
    if (known) return known;
    const before = this.madeBefore.get(key) ?? emptySnapshot;
    const made = changeSnapshot(before, this.surroundings.prepare({ replace: this.merged(node, maker) }), version);
    this.made.set(key, made);
    return made;
  }

  /** Made resources, and the plain ones, which take the place of made ones of the same name. */
  private merged(node: Node, maker: ContentMaker): Map<string, readonly Resource[]> {
    const made = this.madeFor(node, maker);
    return new Map(
      this.types.map((typeUrl) => {
        const { resources, duplicates } = typeState(this.snapshot, typeUrl);
        const counts = !this.overridden.has(typeUrl);
        const own = counts ? made.filter((resource) => resource.typeUrl === typeUrl && !resources.has(resource.name)) : [];
        return [typeUrl, [...own, ...resources.values(), ...duplicates]];
      }),
    );
  }

  private madeFor(node: Node, maker: ContentMaker): readonly Resource[] {
    return this.content.flatMap((content) => {
      try {
        return maker.contentFor(content, node);
      } catch (error) {
        this.surroundings.onFailure(node, error);
        return [];
      }
    });
  }

  private forgetMade(): void {
    this.madeBefore = new Map([...this.madeBefore, ...this.made].slice(-keptKeys));
    this.made = new Map();
  }
}

/** So many kinds of nodes are remembered over a change. */
const keptKeys = 10_000;
