/** One named object of a type, encoded once when it is published. To the core its payload is bytes. */
export interface Resource {
  readonly typeUrl: string;
  readonly name: string;
  /** The serialized message, i.e. the `value` of the Any that carries it. */
  readonly value: Uint8Array;
  /** Its own version, sent in delta where the quirk `resource-version` is `content`. */
  readonly version?: string;
  /** How long the client may keep it without hearing of it again, in milliseconds; default: for ever (xDS "TTL"). */
  readonly ttlMs?: number;
  /** Further names by which it can be asked for, e.g. `route/host` of a virtual host (delta only). */
  readonly aliases?: readonly string[];
  /** Only for who asks for it by name or alias: a wildcard does not cover it. */
  readonly onDemand?: true;
  /** No payload goes out: the client may keep what it has for another `ttlMs`. */
  readonly heartbeat?: true;
}

/** True if both would be the same bytes on the wire. */
export function sameResource(a: Resource, b: Resource): boolean {
  if (a === b) return true;
  if (a.name !== b.name || a.version !== b.version || a.typeUrl !== b.typeUrl || a.value.length !== b.value.length) return false;
  if (a.ttlMs !== b.ttlMs || a.onDemand !== b.onDemand || !sameNames(a.aliases ?? [], b.aliases ?? [])) return false;
  return Buffer.compare(a.value, b.value) === 0;
}

/** True if both lists have the same names in the same order. */
export function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((name, place) => name === b[place]));
}

const names = new WeakMap<readonly Resource[], readonly string[]>();

/** The names of `resources`: one list for all who share the array. */
export function namesOf(resources: readonly Resource[]): readonly string[] {
  const known = names.get(resources);
  if (known) return known;
  const found = resources.map(({ name }) => name);
  names.set(resources, found);
  return found;
}

const shortest = new WeakMap<readonly Resource[], number>();

/** The shortest lifetime among `resources`, in milliseconds; Infinity if none has one. Looked for once in each array. */
export function shortestTtlMs(resources: readonly Resource[]): number {
  const known = shortest.get(resources);
  if (known !== undefined) return known;
  const found = resources.reduce((least, { ttlMs = Infinity }) => Math.min(least, ttlMs), Infinity);
  shortest.set(resources, found);
  return found;
}
