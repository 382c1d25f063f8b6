import type { Node } from './node.ts';

/** How the protocol is spoken: whole state, or only what changed. */
export type Variant = 'sotw' | 'delta';

/** The client's words about a response it rejected (google.rpc.Status). */
export interface ErrorDetail {
  /** A gRPC status code; Envoy sends 13. */
  readonly code: number;
  readonly message: string;
}

interface RequestBase {
  readonly typeUrl: string;
  /** Empty on the first request of a type, and in delta on spontaneous ones. */
  readonly nonce: string;
  /** Only the first request of a stream surely carries it. */
  readonly node?: Node;
  /** The message as it came; absent where there was none. */
  readonly bytes?: Uint8Array;
  /** Present in a NACK and only there. */
  readonly errorDetail?: ErrorDetail;
}

/** A DiscoveryRequest. */
export interface SotwRequest extends RequestBase {
  readonly variant: 'sotw';
  /** The version the client holds; after a reconnect the old one. */
  readonly version: string;
  /** The whole subscription. */
  readonly names: readonly string[];
}

/** A DeltaDiscoveryRequest. */
export interface DeltaRequest extends RequestBase {
  readonly variant: 'delta';
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** What the client holds from an earlier stream: name to version (istiod's versions are empty). */
  readonly initialVersions: ReadonlyMap<string, string>;
}

export type ClientRequest = SotwRequest | DeltaRequest;

/** What a request says of our last response. What it changes in the subscription is a second, separate fact. */
export type Outcome = 'initial' | 'ack' | 'nack' | 'stale' | 'spontaneous';

/** How many resource names of a type one stream may ask for; a request with more is refused. A large mesh has tens of thousands. */
export const maxNames = 40_000;
