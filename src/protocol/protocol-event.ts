import type { Outcome, Variant } from './request.ts';
import type { Cause } from './response.ts';

/** What every event about one stream says. */
export interface StreamFacts {
  /** Counts streams from 1 since the server started. */
  readonly stream: number;
  readonly variant: Variant;
  /** The node id; absent until the first request told it. */
  readonly node?: string;
}

/** Whose an event is. */
export type Whose = Pick<StreamFacts, 'stream' | 'node'>;

interface TypeFacts extends StreamFacts {
  readonly typeUrl: string;
  /** The short name of the type, e.g. `CDS`. */
  readonly type: string;
}

/** A client asked for something, or answered a response. */
export interface RequestReceived extends TypeFacts {
  readonly event: 'request.received';
  readonly outcome: Outcome;
  /** SotW: the whole subscription. Delta: the names newly subscribed. */
  readonly names: readonly string[];
  /** Delta: names given up. */
  readonly unsubscribed: readonly string[];
  /** Delta: names the client brought along from an earlier stream. */
  readonly held: readonly string[];
  /** SotW: the version the client says it holds. */
  readonly version: string;
  readonly nonce: string;
}

/** The client accepted a response. */
export interface ResponseAcked extends TypeFacts {
  readonly event: 'response.acked';
  readonly version: string;
  readonly nonce: string;
}

/** The client rejected a response. */
export interface ResponseNacked extends TypeFacts {
  readonly event: 'response.nacked';
  readonly version: string;
  readonly nonce: string;
  readonly code: number;
  /** The client's own words, as they came. */
  readonly text: string;
}

/** An owed response is not sent; a later release computes it anew. */
export interface ResponseWithheld extends TypeFacts {
  readonly event: 'response.withheld';
  /** The resources held back; empty means the whole response. */
  readonly names: readonly string[];
}

/** A response leaves for the client. */
export interface ResponseSent extends TypeFacts {
  readonly event: 'response.sent';
  readonly version: string;
  readonly nonce: string;
  readonly names: readonly string[];
  readonly removed: readonly string[];
  readonly cause: Cause;
}

export type ProtocolEvent = RequestReceived | ResponseAcked | ResponseNacked | ResponseWithheld | ResponseSent;

/** A copy of `event` that has the two properties which a timeline sets: setting is faster than adding. */
export function withRoom<E extends ProtocolEvent>(event: E): E {
  return { ...event, seq: 0, atMs: 0.5 };
}
