import { sameResource, type Resource } from './resource.ts';

/** All resources of one type at one moment. A new value is made only when something in it changes. */
export interface TypeState {
  readonly typeUrl: string;
  /** By resource name, in the order they were published. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** Further resources under a name that is taken, kept on purpose so that a client can be shown duplicates. */
  readonly duplicates: readonly Resource[];
  /** Names that a wildcard does not cover; absent if there is none. */
  readonly onDemand?: ReadonlySet<string>;
}

/** All that a node is served at one moment. */
export interface Snapshot {
  /** In istiod's form, `<RFC 3339 time>/<counter>`: one counter for all types (istio pilot/pkg/xds/discovery.go). */
  readonly version: string;
  /** Counts publishes from 1; a later snapshot has the larger number. */
  readonly sequence: number;
  readonly types: ReadonlyMap<string, TypeState>;
}

/** What a publish changes: the types given are replaced whole, or single resources are set and removed. */
export interface SnapshotChange {
  /** Types whose whole content is now this. */
  readonly replace?: ReadonlyMap<string, readonly Resource[]>;
  /** Resources added or changed, others of their type staying. */
  readonly set?: readonly Resource[];
  /** Names taken away, by type URL. */
  readonly remove?: ReadonlyMap<string, readonly string[]>;
}

/** What differs between two states of a type. */
export interface TypeDifference {
  /** Names that are new, or have other bytes or other duplicates. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Both: one set, the same for all streams that made the same step. */
  readonly names: ReadonlySet<string>;
}

export const emptySnapshot: Snapshot = { version: '', sequence: 0, types: new Map() };

const emptyStates = new Map<string, TypeState>();
/** Clients may ask for types that there are not, under as many and as long names as they like: of that little is remembered. */
const keptEmptyStates = 256;
const longestKeptUrl = 256;

/** The state of `typeUrl` in `snapshot`; the one empty state of that type if nothing was ever published. */
export function typeState(snapshot: Snapshot, typeUrl: string): TypeState {
  const found = snapshot.types.get(typeUrl) ?? emptyStates.get(typeUrl);
  if (found) return found;
  const empty: TypeState = { typeUrl, resources: new Map(), duplicates: [] };
  if (typeUrl.length > longestKeptUrl) return empty;
  if (emptyStates.size >= keptEmptyStates) emptyStates.clear();
  emptyStates.set(typeUrl, empty);
  return empty;
}

function onDemandOf(set: readonly Resource[], others: Iterable<string>): Pick<TypeState, 'onDemand'> {
  const names = new Set([...others, ...set.flatMap(({ name, onDemand }) => (onDemand ? [name] : []))]);
  return names.size > 0 ? { onDemand: names } : {};
}

function stateOf(typeUrl: string, list: readonly Resource[]): TypeState {
  const resources = new Map<string, Resource>();
  const duplicates: Resource[] = [];
  for (const resource of list) {
    if (resources.has(resource.name)) duplicates.push(resource);
    else resources.set(resource.name, resource);
  }
  return { typeUrl, resources, duplicates, ...onDemandOf(list, []) };
}

function sameState(a: TypeState, b: TypeState): boolean {
  return a === b || difference(a, b).names.size === 0;
}

/** Names whose duplicates differ. */
function changedDuplicates(a: TypeState, b: TypeState): readonly string[] {
  if (a.duplicates.length + b.duplicates.length === 0) return [];
  const of = (state: TypeState, name: string): readonly Resource[] => state.duplicates.filter((resource) => resource.name === name);
  const same = (x: readonly Resource[], y: readonly Resource[]): boolean =>
    x.length === y.length && x.every((resource, i) => sameResource(resource, y[i] as Resource));
  const names = new Set([...a.duplicates, ...b.duplicates].map(({ name }) => name));
  return [...names].filter((name) => b.resources.has(name) && !same(of(a, name), of(b, name)));
}

function changedState(before: TypeState, set: readonly Resource[], remove: readonly string[]): TypeState {
  const resources = new Map(before.resources);
  for (const name of remove) resources.delete(name);
  for (const resource of set) resources.set(resource.name, resource);
  const gone = new Set([...remove, ...set.map((resource) => resource.name)]);
  const duplicates = before.duplicates.filter((resource) => !gone.has(resource.name));
  const others = [...(before.onDemand ?? [])].filter((name) => !gone.has(name));
  return { typeUrl: before.typeUrl, resources, duplicates, ...onDemandOf(set, others) };
}

/** The types of `change`, whether or not they end up different. */
export function typesOf(change: SnapshotChange): Set<string> {
  return new Set([
    ...(change.replace?.keys() ?? []),
    ...(change.set ?? []).map((resource) => resource.typeUrl),
    ...(change.remove?.keys() ?? []),
  ]);
}

/**
 * `before` with `change` made. Types whose content stays the same keep their very state, so that "did it change" is one comparison.
 * Resources given in `replace` under a name already seen are kept as duplicates.
 */
export function changeSnapshot(before: Snapshot, change: SnapshotChange, version: string): Snapshot {
  const types = new Map(before.types);
  for (const typeUrl of typesOf(change)) {
    const old = typeState(before, typeUrl);
    const list = change.replace?.get(typeUrl);
    const replaced = list ? stateOf(typeUrl, list) : old;
    const set = (change.set ?? []).filter((resource) => resource.typeUrl === typeUrl);
    const next = changedState(replaced, set, change.remove?.get(typeUrl) ?? []);
    types.set(typeUrl, sameState(old, next) ? old : next);
  }
  return { version, sequence: before.sequence + 1, types };
}

const differences = new WeakMap<TypeState, WeakMap<TypeState, TypeDifference>>();

/** What changed from `from` to `to`; computed once for all streams that made the same step. */
export function difference(from: TypeState, to: TypeState): TypeDifference {
  const known = differences.get(from)?.get(to);
  if (known) return known;
  const changed = new Set(changedDuplicates(from, to));
  for (const [name, resource] of to.resources) {
    const before = from.resources.get(name);
    if (!before || !sameResource(before, resource)) changed.add(name);
  }
  const removed = [...from.resources.keys()].filter((name) => !to.resources.has(name));
  const result: TypeDifference = { changed: [...changed], removed, names: new Set([...changed, ...removed]) };
  const row = differences.get(from) ?? new WeakMap<TypeState, TypeDifference>();
  differences.set(from, row.set(to, result));
  return result;
}
