import type { Outcome, Variant } from '../protocol/request.ts';
import type { Cause } from '../protocol/response.ts';

interface FrameFacts {
  /** That of the event in the timeline which tells of it: counts all events, so frames have gaps between them. */
  readonly seq: number;
  /** Milliseconds since the timeline began. */
  readonly atMs: number;
  readonly stream: number;
  readonly variant: Variant;
  /** The node id. */
  readonly node?: string;
  readonly typeUrl: string;
  /** The short name, e.g. `CDS`. */
  readonly type: string;
  /** Requests: in SotW what the client says it holds. */
  readonly version: string;
  readonly nonce: string;
  /** Requests: names asked for (SotW: all, delta: newly subscribed). Responses: resources in it. */
  readonly names: readonly string[];
  /** Delta. Requests: names given up. Responses: names that are gone. */
  readonly removed: readonly string[];
  /** Of the message, in bytes, without gRPC's prefix; absent where it did not come through a transport. */
  readonly size?: number;
}

/** A discovery request that came in. */
export interface RequestFrame extends FrameFacts {
  readonly direction: 'in';
  /** What it says of our last response. */
  readonly outcome: Outcome;
  /** Delta: names the client brought along from an earlier stream. */
  readonly held: readonly string[];
  /** Of a NACK. */
  readonly errorDetail?: { readonly code: number; readonly message: string };
}

/** A discovery response that went out. */
export interface ResponseFrame extends FrameFacts {
  readonly direction: 'out';
  /** Why it was sent. */
  readonly cause: Cause;
}

export type Frame = RequestFrame | ResponseFrame;

/** Which frames are meant; all given parts must hold. */
export interface FrameFilter {
  readonly direction?: 'in' | 'out';
  /** `CDS`, `clusters`, a type URL. */
  readonly type?: string;
  /** A node id, in which `*` stands for any characters. */
  readonly node?: string;
  readonly stream?: number;
  readonly variant?: Variant;
  /** Requests only. */
  readonly outcome?: Outcome;
  /** Responses only. */
  readonly cause?: Cause;
  readonly version?: string;
  readonly nonce?: string;
  /** A resource name that has to be among `names` or `removed`; `*` stands for any characters. */
  readonly name?: string;
  /** What the words of a NACK hold; `*` stands for any characters, at both ends in any case. */
  readonly text?: string;
  /** Only frames after the one of this `seq`. */
  readonly since?: number;
}

/** How many frames there should be. All given bounds must hold. */
export interface FrameCount {
  readonly exactly?: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/**
 * Every request and response, oldest first. It is read off the timeline, so it goes back as far as that does (option `journal.events`); the
 * messages themselves are kept up to `journal.messageBytes`.
 */
export interface Journal {
  /** All frames that match, or the newest `limit` of them. */
  frames(filter?: FrameFilter, limit?: number): readonly Frame[];
  count(filter?: FrameFilter): number;
  /**
   * Throws `journal.unexpected` unless so many frames match: what was expected, how many there are, the nearest frames and the last ten.
   * Error `options.invalid` if nothing is expected.
   */
  assert(expected: FrameCount, filter?: FrameFilter): void;
  /** The bytes of a frame's message (DiscoveryRequest …, by variant and direction); undefined if they are no longer kept. */
  message(seq: number): Uint8Array | undefined;
  /** How many events, frames among them, are no longer kept. */
  readonly dropped: number;
}
