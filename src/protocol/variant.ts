import type { ClientRequest, DeltaRequest, SotwRequest, Variant as VariantName } from './request.ts';
import type { Resource } from './resource.ts';
import { resourceType } from './resource-type.ts';
import { changesFor, goneNames, keptCopies, namedResources, subscribedResources } from './selection.ts';
import type { TypeState } from './snapshot.ts';
import { adjustNames, replaceNames, type Subscription, type SubscriptionChange } from './subscription.ts';
import type { Owed, Selection, Watch } from './watch.ts';
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

/**
 * All that sets SotW and delta apart. Everything else of the protocol is written once, and no other file asks which of the two it is
 * (but for the codecs).
 */
export interface VariantRules {
  /** An empty nonce on a type already watched: SotW starts over, delta only adjusts the subscription. */
  readonly emptyNonce: 'initial' | 'spontaneous';
  /** Whether the first request for names that are none is answered (istio: SotW takes it as unsubscribing; delta always answers). */
  readonly answersEmptyFirst: boolean;
  /** A subscription change under a stale nonce: SotW repeats it with its next request, in delta it would be lost. */
  readonly repeatsSubscription: boolean;
  describe(request: ClientRequest): RequestFacts;
  /** How a request changes the subscription. */
  changeSubscription(before: Subscription | undefined, request: ClientRequest): SubscriptionChange;
  /** What of `state` is sent when `owed`, of which nothing is withheld, is due. */
  select(watch: Watch, state: TypeState, owed: Owed, withheld: Withheld): Selection;
  /** Names that are due when `state` is served: undefined if the client need not be told. */
  due(watch: Watch, state: TypeState): ReadonlySet<string> | undefined;
}

const nothing: readonly string[] = [];
const noVersions: ReadonlyMap<string, string> = new Map();

/** State of the world: the whole subscription each time; for CDS and LDS absence is removal, for the rest silence means "as it was". */
const sotw: VariantRules = {
  emptyNonce: 'initial',
  answersEmptyFirst: false,
  repeatsSubscription: true,
  describe(request) {
    const { names, version } = request as SotwRequest;
    return { names, unsubscribed: nothing, initialVersions: noVersions, version };
  },
  changeSubscription(before, request) {
    const { names, typeUrl } = request as SotwRequest;
    return replaceNames(before, names, resourceType(typeUrl).wildcard);
  },
  select(watch, state, owed, withheld) {
    const whole = resourceType(state.typeUrl).fullState;
    if (!whole && owed !== 'all') return { resources: namedResources(state, owed), removed: nothing, whole };
    const resources = subscribedResources(watch, state, withheld);
    const kept = whole ? keptCopies(watch, state, withheld) : [];
    return { resources: kept.length > 0 ? [...resources, ...kept] : resources, removed: nothing, whole };
  },
  due(watch, state) {
    const names = changesFor(watch, state);
    if (!names || resourceType(state.typeUrl).fullState) return names;
    const served = [...names].every((name) => state.resources.has(name))
      ? names
      : new Set([...names].filter((name) => state.resources.has(name)));
    return served.size > 0 ? served : undefined;
  },
};

/** Incremental: only what changed, and what is gone is named. */
const delta: VariantRules = {
  emptyNonce: 'spontaneous',
  answersEmptyFirst: true,
  repeatsSubscription: false,
  describe(request) {
    const { subscribe, unsubscribe, initialVersions } = request as DeltaRequest;
    return { names: subscribe, unsubscribed: unsubscribe, initialVersions, version: '' };
  },
  changeSubscription(before, request) {
    const { subscribe, unsubscribe, typeUrl } = request as DeltaRequest;
    return adjustNames(before, subscribe, unsubscribe, resourceType(typeUrl).wildcard);
  },
  select(watch, state, owed, withheld) {
    const resources = owed === 'all' ? subscribedResources(watch, state, withheld) : namedResources(state, owed);
    const gone = goneNames(watch, state, owed);
    const removed = withheld.extent === 'nothing' ? gone : gone.filter((name) => !withheld.holds(name));
    const { initialVersions } = watch;
    if (initialVersions.size === 0) return { resources, removed, whole: false };
    const isNews = ({ name, version }: Resource): boolean => !version || initialVersions.get(name) !== version;
    return { resources: resources.every(isNews) ? resources : resources.filter(isNews), removed, whole: false };
  },
  due: changesFor,
};

export const variants: Readonly<Record<VariantName, VariantRules>> = { sotw, delta };
