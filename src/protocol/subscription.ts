import { maxNames } from './request.ts';
import type { Status } from './response.ts';

/**
 * What a client wants of one type.
 * `legacy`: a wildcard because its first request named nothing; in SotW it ends when names are given, in delta when `*` is given up.
 * `explicit`: a wildcard because it named `*`; it ends when `*` is given up, and names may stand beside it.
 */
export interface Subscription {
  readonly wildcard: 'no' | 'legacy' | 'explicit';
  readonly names: ReadonlySet<string>;
}

/** A subscription after a request, and what the request changed in it. */
export interface SubscriptionChange {
  readonly subscription: Subscription;
  /** Names now asked for anew; in delta also names that were asked for before and are named again. */
  readonly added: ReadonlySet<string>;
  /** The client now wants everything and did not before. */
  readonly becameWildcard: boolean;
}

const everything = '*';
const none: ReadonlySet<string> = new Set();

export const nothingSubscribed: Subscription = { wildcard: 'no', names: none };

export function isWildcard(subscription: Subscription): boolean {
  return subscription.wildcard !== 'no';
}

/** True if the client wants `name`. */
export function wants(subscription: Subscription, name: string): boolean {
  return subscription.wildcard !== 'no' || subscription.names.has(name);
}

/** gRPC's RESOURCE_EXHAUSTED for a stream whose subscription has grown, request upon request, past any mesh; undefined for all others. */
export function excessOf({ names }: Subscription): Status | undefined {
  return names.size > maxNames ? { code: 8, message: `the stream subscribes to more than ${maxNames} names of one type` } : undefined;
}

function change(
  before: Subscription,
  wildcard: Subscription['wildcard'],
  names: ReadonlySet<string>,
  added: ReadonlySet<string>,
): SubscriptionChange {
  const subscription = before.wildcard === wildcard && before.names === names ? before : { wildcard, names };
  return { subscription, added, becameWildcard: wildcard !== 'no' && before.wildcard === 'no' };
}

/** True if `names` are these very names in their order, as in an ACK. */
function areNames(names: readonly string[], known: ReadonlySet<string>): boolean {
  if (names.length !== known.size) return false;
  let place = 0;
  for (const name of known) if (names[place++] !== name) return false;
  return true;
}

/**
 * SotW: `names` is the whole subscription. Naming nothing is a wildcard as long as nothing was ever named on this stream, and only for
 * `wildcardType`s; afterwards it gives everything up.
 */
export function replaceNames(before: Subscription | undefined, names: readonly string[], wildcardType: boolean): SubscriptionChange {
  const old = before ?? nothingSubscribed;
  if (names.length === 0) {
    const legacy = wildcardType && (!before || before.wildcard === 'legacy');
    return change(old, legacy ? 'legacy' : 'no', none, none);
  }
  if (areNames(names, old.names)) return change(old, 'no', old.names, none);
  const wanted = new Set(names);
  const explicit = wanted.delete(everything);
  const added = old.names.size === 0 ? wanted : new Set([...wanted].filter((name) => !old.names.has(name)));
  return change(old, explicit ? 'explicit' : 'no', wanted, added);
}

/**
 * Delta: names come and go. A first request that subscribes to nothing is a wildcard (legacy), which names given later do not end; only
 * giving `*` up does (xDS "How the client specifies what resources to return"). A name given both ways ends up given up, as in istiod:
 * `*` both ways is how an on-demand client asks for nothing.
 */
export function adjustNames(
  before: Subscription | undefined,
  subscribe: readonly string[],
  unsubscribe: readonly string[],
  wildcardType: boolean,
): SubscriptionChange {
  const old = before ?? nothingSubscribed;
  const wildcard = wildcardAfter(before, subscribe, unsubscribe, wildcardType);
  if (subscribe.length === 0 && unsubscribe.length === 0) return change(old, wildcard, old.names, none);
  const names = new Set([...old.names, ...subscribe]);
  for (const name of [...unsubscribe, everything]) names.delete(name);
  // A name given up that the wildcard still covers is told again: the client may have dropped it.
  const covered = wildcard === 'no' ? [] : unsubscribe.filter((name) => old.names.has(name));
  return change(old, wildcard, names, new Set([...subscribe.filter((name) => names.has(name)), ...covered]));
}

function wildcardAfter(
  before: Subscription | undefined,
  subscribe: readonly string[],
  unsubscribe: readonly string[],
  wildcardType: boolean,
): Subscription['wildcard'] {
  if (unsubscribe.includes(everything)) return 'no';
  if (subscribe.includes(everything)) return 'explicit';
  if (before) return before.wildcard;
  return wildcardType && subscribe.length === 0 ? 'legacy' : 'no';
}
