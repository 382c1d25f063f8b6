/**
 * What a client wants of one type.
 * `legacy`: a wildcard because its first request named nothing; it ends when names are given (xDS "Wildcard").
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

function change(before: Subscription, wildcard: Subscription['wildcard'], names: ReadonlySet<string>, added: ReadonlySet<string>): SubscriptionChange {
  return { subscription: { wildcard, names }, added, becameWildcard: wildcard !== 'no' && before.wildcard === 'no' };
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
  const wanted = new Set(names);
  const explicit = wanted.delete(everything);
  const added = new Set([...wanted].filter((name) => !old.names.has(name)));
  return change(old, explicit ? 'explicit' : 'no', wanted, added);
}

/** Delta: names come and go. The very first request of a wildcard type that subscribes to nothing is a legacy wildcard. */
export function adjustNames(before: Subscription | undefined, subscribe: readonly string[], unsubscribe: readonly string[], wildcardType: boolean): SubscriptionChange {
  const old = before ?? nothingSubscribed;
  if (subscribe.length === 0 && unsubscribe.length === 0) {
    return change(old, before ? old.wildcard : wildcardType ? 'legacy' : 'no', old.names, none);
  }
  const names = new Set(old.names);
  for (const name of unsubscribe) names.delete(name);
  for (const name of subscribe) names.add(name);
  names.delete(everything);
  const added = new Set(subscribe);
  const explicit = added.delete(everything) || (old.wildcard === 'explicit' && !unsubscribe.includes(everything));
  const legacy = old.wildcard === 'legacy' && subscribe.length === 0 && !unsubscribe.includes(everything);
  return change(old, explicit ? 'explicit' : legacy ? 'legacy' : 'no', names, added);
}
