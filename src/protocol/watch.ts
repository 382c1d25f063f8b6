import type { TypeState } from './snapshot.ts';
import { nothingSubscribed, type Subscription } from './subscription.ts';

/** What a client was last sent of a type: this state, but for names that were held back from it. */
export interface Held {
  readonly state: TypeState;
  readonly without: ReadonlySet<string>;
}

/** A response whose answer has not come yet, or the last one answered. */
export interface SentResponse {
  readonly nonce: string;
  readonly version: string;
  /** Of the snapshot it was selected from. */
  readonly sequence: number;
}

/** The client's refusal of a response. The same state is not sent again: nothing would change. */
export interface Rejection extends SentResponse {
  readonly state: TypeState | undefined;
  /** A gRPC status code. */
  readonly code: number;
  /** The client's own words. */
  readonly text: string;
}

/** What is still owed to the client: everything it subscribed to, or these names. */
export type Owed = 'all' | ReadonlySet<string>;

/** The record of one type on one stream: what is wanted, what was sent, what was said of it. */
export interface Watch {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  /** Delta: what the client brought along from an earlier stream, name to version; empty once answered. */
  readonly initialVersions: ReadonlyMap<string, string>;
  /** As of the last response sent. */
  readonly held?: Held;
  /** As of the last response the client accepted: after a rejection nobody knows which of the two it holds. */
  readonly ackedHeld?: Held;
  readonly lastSent?: SentResponse;
  readonly lastAcked?: SentResponse;
  readonly rejected?: Rejection;
  /** Withheld and not yet sent. */
  readonly owed?: Owed;
}

export function newWatch(typeUrl: string): Watch {
  return { typeUrl, subscription: nothingSubscribed, initialVersions: new Map() };
}

/** Both debts together. */
export function addOwed(a: Owed | undefined, b: Owed | undefined): Owed | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a === 'all' || b === 'all' ? 'all' : new Set([...a, ...b]);
}
