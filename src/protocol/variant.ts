import type { ClientRequest, DeltaRequest, SotwRequest, Variant as VariantName } from './request.ts';
import type { Resource } from './resource.ts';
import { resourceType } from './resource-type.ts';
import { difference, type TypeState } from './snapshot.ts';
import { adjustNames, isWildcard, replaceNames, wants, type SubscriptionChange } from './subscription.ts';
import type { Held, Owed, Watch } from './watch.ts';
import type { Withheld } from './withhold-rule.ts';

/** A request in words that fit both variants. */
export interface RequestFacts {
  /** SotW: the whole subscription. Delta: what is newly subscribed. */
  readonly names: readonly string[];
  readonly unsubscribed: readonly string[];
  /** What the client holds from an earlier stream, name to version. */
  readonly initialVersions: ReadonlyMap<string, string>;
  readonly version: string;
}

/** What goes into one response. */
export interface Selection {
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
}

/**
 * All that sets SotW and delta apart. Everything else of the protocol is written once, and no other file asks which of the two it is
 * (but for the codecs).
 */
export interface VariantRules {
  readonly name: VariantName;
  /** An empty nonce on a type already watched: SotW starts over, delta only adjusts the subscription. */
  readonly emptyNonce: 'initial' | 'spontaneous';
  /** Whether the first request for names that are none is answered (istio: SotW takes it as unsubscribing; delta always answers). */
  readonly answersEmptyFirst: boolean;
  /** A subscription change under a stale nonce: SotW repeats it with its next request, in delta it would be lost. */
  readonly repeatsSubscription: boolean;
  describe(request: ClientRequest): RequestFacts;
  /** What names newly asked for make due. */
  dueForNames(typeUrl: string, added: ReadonlySet<string>): Owed;
  /** How a request changes the subscription. */
  changeSubscription(watch: Watch | undefined, request: ClientRequest): SubscriptionChange;
  /** What of `state` is sent when `owed` is due, but for what is withheld. */
  select(watch: Watch, state: TypeState, owed: Owed, withheld: Withheld): Selection;
  /** What is due when `state` is served: undefined if the client need not be told. */
  due(watch: Watch, state: TypeState): Owed | undefined;
}

const nothing: readonly string[] = [];
const everyResource = new WeakMap<TypeState, readonly Resource[]>();

/** The resources of `state` as one array, the same for everybody, so that its bytes are made once. */
function allOf(state: TypeState): readonly Resource[] {
  const known = everyResource.get(state);
  if (known) return known;
  const all = [...state.resources.values(), ...state.duplicates];
  everyResource.set(state, all);
  return all;
}

function subscribed(watch: Watch, state: TypeState, withheld: Withheld): readonly Resource[] {
  const { subscription } = watch;
  if (isWildcard(subscription)) return withheld.extent === 'nothing' ? allOf(state) : allOf(state).filter((resource) => !withheld.holds(resource.name));
  return named(state, subscription.names, withheld);
}

function named(state: TypeState, names: Iterable<string>, withheld: Withheld): readonly Resource[] {
  const found: Resource[] = [];
  for (const name of names) {
    const resource = withheld.holds(name) ? undefined : state.resources.get(name);
    if (resource) found.push(resource, ...state.duplicates.filter((duplicate) => duplicate.name === name));
  }
  return found;
}

/** The states the client may be at: what it was last sent and, after a rejection, what it last accepted. */
function bases(watch: Watch): (Held | undefined)[] {
  return watch.rejected ? [watch.held, watch.ackedHeld] : [watch.held];
}

/** Names the client wants that differ from what it may hold. */
function changedNames(watch: Watch, state: TypeState): ReadonlySet<string> {
  const names = new Set<string>();
  for (const base of bases(watch)) {
    if (base?.state === state) continue;
    for (const name of base ? difference(base.state, state).changed : state.resources.keys()) if (wants(watch.subscription, name)) names.add(name);
  }
  return names;
}

/** Names the client may hold and that are gone. */
function removedNames(watch: Watch, state: TypeState): readonly string[] {
  const gone = new Set<string>();
  for (const base of bases(watch)) {
    if (!base || base.state === state) continue;
    for (const name of difference(base.state, state).removed) if (wants(watch.subscription, name) && !base.without.has(name)) gone.add(name);
  }
  return gone.size === 0 ? nothing : [...gone];
}

function isChanged(watch: Watch, state: TypeState, changed: ReadonlySet<string>): boolean {
  if (watch.rejected) return watch.rejected.state !== state;
  const duplicates = watch.held?.state.duplicates ?? [];
  const other = duplicates !== state.duplicates && duplicates.length + state.duplicates.length > 0;
  return other || changed.size > 0 || removedNames(watch, state).length > 0;
}

const noVersions: ReadonlyMap<string, string> = new Map();

/** State of the world: the whole subscription each time; for CDS and LDS absence is removal, for the rest silence means "as it was". */
export const sotw: VariantRules = {
  name: 'sotw',
  emptyNonce: 'initial',
  answersEmptyFirst: false,
  repeatsSubscription: true,
  describe(request) {
    const { names, version } = request as SotwRequest;
    return { names, unsubscribed: nothing, initialVersions: noVersions, version };
  },
  dueForNames: (typeUrl, added) => (resourceType(typeUrl).fullState ? 'all' : added),
  changeSubscription(watch, request) {
    const { names, typeUrl } = request as SotwRequest;
    return replaceNames(watch?.subscription, names, resourceType(typeUrl).wildcard);
  },
  select(watch, state, owed, withheld) {
    const whole = owed === 'all' || resourceType(state.typeUrl).fullState;
    return { resources: whole ? subscribed(watch, state, withheld) : named(state, owed, withheld), removed: nothing };
  },
  due(watch, state) {
    const changed = changedNames(watch, state);
    if (resourceType(state.typeUrl).fullState) return isChanged(watch, state, changed) ? 'all' : undefined;
    return changed.size > 0 ? changed : undefined;
  },
};

/** Incremental: only what changed, and what is gone is named. */
export const delta: VariantRules = {
  name: 'delta',
  emptyNonce: 'spontaneous',
  answersEmptyFirst: true,
  repeatsSubscription: false,
  describe(request) {
    const { subscribe, unsubscribe, initialVersions } = request as DeltaRequest;
    return { names: subscribe, unsubscribed: unsubscribe, initialVersions, version: '' };
  },
  dueForNames: (_typeUrl, added) => added,
  changeSubscription(watch, request) {
    const { subscribe, unsubscribe, typeUrl } = request as DeltaRequest;
    return adjustNames(watch?.subscription, subscribe, unsubscribe, resourceType(typeUrl).wildcard);
  },
  select(watch, state, owed, withheld) {
    const resources = owed === 'all' ? subscribed(watch, state, withheld) : named(state, owed, withheld);
    const { initialVersions } = watch;
    if (initialVersions.size === 0) return { resources, removed: removedNames(watch, state) };
    const gone = [...initialVersions.keys()].filter((name) => !state.resources.has(name) && wants(watch.subscription, name));
    const isNews = ({ name, version }: Resource): boolean => !version || initialVersions.get(name) !== version;
    return { resources: resources.filter(isNews), removed: gone };
  },
  due(watch, state) {
    const changed = changedNames(watch, state);
    return isChanged(watch, state, changed) ? changed : undefined;
  },
};

export const variants: Readonly<Record<VariantName, VariantRules>> = { sotw, delta };
