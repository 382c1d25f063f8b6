import type { Quirks } from './quirks.ts';
import type { Variant } from './request.ts';
import { isKnownType, TypeUrl } from './resource-type.ts';
import type { Resource } from './resource.ts';
import type { Status } from './response.ts';
import type { Snapshot, TypeState } from './snapshot.ts';
import { wants } from './subscription.ts';
import { mayHold, type Owed, type Selection, type Watch } from './watch.ts';
import type { Withheld } from './withhold-rule.ts';

/** Names that were asked for and are served to nobody, and what the client is told of them. */
export interface UnservedRules extends Pick<Quirks, 'unknown-endpoints' | 'missing-name'> {
  readonly variant: Variant;
}

const assignments = new Map<string, Resource>();
const keptAssignments = 1000;
/** A longer name is nobody's cluster; to keep it costs more than to make it again. */
const longestKeptName = 256;

/** `ClusterLoadAssignment { cluster_name: name }`, whose field 1 is all that is in it. */
function emptyAssignment(name: string): Resource {
  const known = assignments.get(name);
  if (known) return known;
  const length = Buffer.byteLength(name);
  const head = [0x0a];
  for (let rest = length; ; rest >>>= 7) {
    head.push(rest > 0x7f ? (rest & 0x7f) | 0x80 : rest);
    if (rest <= 0x7f) break;
  }
  const value = Buffer.allocUnsafe(head.length + length);
  value.set(head);
  value.write(name, head.length);
  const made: Resource = { typeUrl: TypeUrl.endpoint, name, value };
  if (name.length > longestKeptName) return made;
  if (assignments.size >= keptAssignments) assignments.clear();
  assignments.set(name, made);
  return made;
}

/** `selection` with what is said of the names owed that are not served. `aliases`: other names by which what is served is asked for. */
export function withUnserved(
  selection: Selection,
  { watch, state, owed, withheld }: { watch: Watch; state: TypeState; owed: Owed; withheld: Withheld },
  rules: UnservedRules,
): Selection {
  const told = state.typeUrl === TypeUrl.endpoint && rules['unknown-endpoints'] === 'empty' ? 'empty' : rules['missing-name'];
  if (told === 'silent' || (told === 'removed' && rules.variant === 'sotw')) return selection;
  const named = owed === 'all' ? watch.subscription.names : owed;
  const missing = [...named].filter(
    (name) =>
      !isServed(state, name) &&
      wants(watch.subscription, name) &&
      watch.subscription.names.has(name) &&
      !mayHold(watch, name) &&
      !withheld.holds(name),
  );
  if (missing.length === 0) return selection;
  if (told === 'empty') return { ...selection, resources: [...selection.resources, ...missing.map(emptyAssignment)] };
  return { ...selection, removed: [...new Set([...selection.removed, ...missing])] };
}

const aliasesOf = new WeakMap<TypeState, ReadonlyMap<string, string>>();

/** The name of the resource that `alias` stands for, if it is one. */
export function aliased(state: TypeState, alias: string): string | undefined {
  const known = aliasesOf.get(state);
  if (known) return known.get(alias);
  const made = new Map<string, string>();
  for (const { name, aliases = [] } of state.resources.values()) for (const each of aliases) made.set(each, name);
  aliasesOf.set(state, made);
  return made.get(alias);
}

function isServed(state: TypeState, name: string): boolean {
  return state.resources.has(name) || aliased(state, name) !== undefined;
}

/** What becomes of a request for a type that is in no table and of which `snapshot` has nothing; undefined for every other type. */
export function unknownTypeRule(typeUrl: string, snapshot: Snapshot, quirks: Quirks): Quirks['unknown-type'] | undefined {
  return isKnownType(typeUrl) || snapshot.types.has(typeUrl) ? undefined : quirks['unknown-type'];
}

/** istiod's last word to a proxy that asks for such a type (istio apigen.go:authorize). */
export const unknownTypeStatus: Status = { code: 16, message: 'the api generator requires an authenticated control-plane identity' };
