import type { ErrorDetail } from './request.ts';
import type { Resource } from './resource.ts';
import type { TypeState } from './snapshot.ts';
import { isWildcard, nothingSubscribed, wants, type Subscription, type SubscriptionChange } from './subscription.ts';

/** What a client was last sent of a type: this state, but for some names. */
export interface Held {
  readonly state: TypeState;
  /** Names of which the client has something else than the state says: an older resource, or nothing. */
  readonly instead: ReadonlyMap<string, Resource | undefined>;
}

/** What goes into one response. */
export interface Selection {
  readonly resources: readonly Resource[];
  /** Delta: names that are gone. */
  readonly removed: readonly string[];
  /** It says all that there is, so that absence means removal. */
  readonly whole: boolean;
}

/** A response that was sent. */
export interface SentResponse {
  readonly nonce: string;
  readonly version: string;
  /** Of the snapshot it was selected from. */
  readonly sequence: number;
  readonly selection: Selection;
}

/** The client's refusal of a response, until what was refused has been replaced and accepted. */
export interface Rejection {
  /** Of the newest response refused. */
  readonly sequence: number;
  /** Of the oldest response refused that nothing accepted has made up for. */
  readonly since: number;
  /** The client's own words. */
  readonly text: string;
}

/** What is still owed to the client: everything it subscribed to, or these names. */
export type Owed = 'all' | ReadonlySet<string>;

/** What is withheld and not yet sent. */
export interface Debt {
  readonly names: Owed;
  /** Of the snapshot it was first owed from; 0 if nothing of the type was ever sent. */
  readonly since: number;
}

/** The record of one type on one stream: what is wanted, what was sent, what was said of it. */
export interface Watch {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  /** Delta: what the client brought along from an earlier stream and was not told about yet, name to version. */
  readonly initialVersions: ReadonlyMap<string, string>;
  /** As of the last response sent. */
  readonly held?: Held;
  /** Names in a refused response that were not sent since: nobody knows what the client has of them. */
  readonly doubtful: ReadonlySet<string>;
  /** Responses that the client said nothing of yet, oldest first. */
  readonly unanswered: readonly SentResponse[];
  readonly lastSent?: SentResponse;
  readonly lastAcked?: SentResponse;
  readonly rejected?: Rejection;
  readonly debt?: Debt;
}

const noNames: ReadonlySet<string> = new Set();
const noVersions: ReadonlyMap<string, string> = new Map();
const nothingInstead: Held['instead'] = new Map();

/** Older unanswered responses are forgotten: a client that never answers must not make us keep all it was ever sent. */
const unansweredKept = 64;

export function newWatch(typeUrl: string): Watch {
  return { typeUrl, subscription: nothingSubscribed, initialVersions: noVersions, doubtful: noNames, unanswered: [] };
}

/** Both debts together. */
export function addOwed(a: Owed | undefined, b: Owed): Owed {
  if (a === undefined || a === b) return b;
  return a === 'all' || b === 'all' ? 'all' : new Set([...a, ...b]);
}

/** What the client has of `name` as far as we sent it on this stream. */
export function clientCopy({ held }: Watch, name: string): Resource | undefined {
  return held?.instead.has(name) ? held.instead.get(name) : held?.state.resources.get(name);
}

/** True if the client may have something of `name`. */
export function mayHold(watch: Watch, name: string): boolean {
  return watch.doubtful.has(name) || watch.initialVersions.has(name) || clientCopy(watch, name) !== undefined;
}

/** The response of this nonce, if the client said nothing of it yet. */
export function unansweredOf(watch: Watch | undefined, nonce: string): SentResponse | undefined {
  return watch?.unanswered.find((sent) => sent.nonce === nonce);
}

function without({ unanswered }: Watch, answered: SentResponse): readonly SentResponse[] {
  return unanswered.slice(unanswered.indexOf(answered) + 1);
}

/** `watch` after the client accepted a response. Answers come in order: whatever was sent before it is settled with it. */
export function accepted(watch: Watch, response: SentResponse): Watch {
  const { rejected, ...rest } = watch;
  const stands = rejected && watch.doubtful.size > 0 ? { rejected } : {};
  return { ...rest, ...stands, lastAcked: response, unanswered: without(watch, response) };
}

function carries({ selection }: SentResponse, name: string): boolean {
  return selection.whole || selection.removed.includes(name) || selection.resources.some((resource) => resource.name === name);
}

/** `watch` after the client refused a response: of its names only those count as known that were sent again since. */
export function refused(watch: Watch, response: SentResponse, { message }: ErrorDetail): Watch {
  const unanswered = without(watch, response);
  const { resources, removed } = response.selection;
  const names = [...resources.map(({ name }) => name), ...removed].filter((name) => !unanswered.some((later) => carries(later, name)));
  const rejected = { sequence: response.sequence, since: watch.rejected?.since ?? response.sequence, text: message };
  return { ...watch, unanswered, rejected, doubtful: new Set([...watch.doubtful, ...names]) };
}

/** `watch` after `response` was sent from `state`, `back` being the names that stay owed. */
export function responded(watch: Watch, response: SentResponse, state: TypeState, back: readonly string[]): Watch {
  const { debt, ...rest } = watch;
  const { whole, resources, removed } = response.selection;
  const kept = back.length === 0 ? noNames : new Set(back);
  const told = watch.doubtful.size === 0 || whole ? undefined : new Set([...resources.map(({ name }) => name), ...removed]);
  return {
    ...rest,
    ...(debt && back.length > 0 ? { debt: { ...debt, names: kept } } : {}),
    held: { state, instead: back.length === 0 ? nothingInstead : new Map(back.map((name) => [name, clientCopy(watch, name)])) },
    initialVersions: watch.initialVersions.size === 0 ? noVersions : new Map([...watch.initialVersions].filter(([name]) => kept.has(name))),
    doubtful: told ? new Set([...watch.doubtful].filter((name) => !told.has(name))) : noNames,
    lastSent: response,
    unanswered: [...watch.unanswered.slice(1 - unansweredKept), response],
  };
}

/** `watch` after a heartbeat, which changes nothing of what the client has. */
export function continued(watch: Watch, response: SentResponse): Watch {
  return { ...watch, lastSent: response, unanswered: [...watch.unanswered.slice(1 - unansweredKept), response] };
}

/** `watch` with a changed subscription: what is no longer wanted is no longer owed, and of what is newly wanted the client has nothing. */
export function resubscribed(watch: Watch, { subscription, added, becameWildcard }: SubscriptionChange): Watch {
  if (subscription === watch.subscription && added.size === 0) return watch;
  const fresh = [...(becameWildcard && watch.held ? watch.held.state.resources.keys() : added)].filter(
    (name) => !wants(watch.subscription, name),
  );
  const next = { ...watch, subscription };
  const held =
    watch.held && fresh.length > 0
      ? { ...watch.held, instead: new Map([...watch.held.instead, ...fresh.map((name) => [name, undefined] as const)]) }
      : watch.held;
  return pruned(held ? { ...next, held } : next);
}

function pruned(watch: Watch): Watch {
  const { subscription, debt, doubtful } = watch;
  if (isWildcard(subscription) || (!debt && doubtful.size === 0)) return watch;
  const { debt: _, ...rest } = watch;
  const left = debt && debt.names !== 'all' ? new Set([...debt.names].filter((name) => wants(subscription, name))) : debt?.names;
  const nothing = left === undefined || (left === 'all' ? subscription.names.size === 0 && watch.held !== undefined : left.size === 0);
  return {
    ...rest,
    doubtful: new Set([...doubtful].filter((name) => wants(subscription, name))),
    ...(debt && !nothing ? { debt: { ...debt, names: left } } : {}),
  };
}
