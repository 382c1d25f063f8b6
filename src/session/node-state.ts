import type { Subscription } from '../protocol/subscription.ts';
import type { SyncStatus } from '../protocol/sync.ts';
import type { Variant } from '../protocol/request.ts';

/** Who a client has proved to be. */
export interface ProvenIdentity {
  /** E.g. `spiffe://cluster.local/ns/demo/sa/shop`. */
  readonly spiffeId: string;
  readonly by: 'client certificate' | 'token';
  /** Of a token: the Kubernetes cluster that vouches for it. */
  readonly clusterId?: string;
}

/** One open stream of a node. */
export interface NodeStream {
  /** Counts streams from 1; events bear the same number. */
  readonly stream: number;
  readonly variant: Variant;
  /** The single-type service that was called, as `package.Service`. Absent for ADS. */
  readonly service?: string;
  /** Address and port of the client. */
  readonly peer: string;
  /** True if it came over TLS. */
  readonly secure: boolean;
  /** In milliseconds since the timeline began, as `atMs` of events. */
  readonly openedAtMs: number;
  /** Absent where nobody was asked. */
  readonly identity?: ProvenIdentity;
}

/** A response, as its client knows it. */
export interface VersionAndNonce {
  readonly version: string;
  readonly nonce: string;
}

/** Where a node stands with one type, on one stream. */
export interface NodeType {
  readonly typeUrl: string;
  /** The short name, e.g. `CDS`. */
  readonly type: string;
  readonly stream: number;
  readonly wildcard: Subscription['wildcard'];
  /** Names subscribed to, beside the wildcard if there is one. */
  readonly names: readonly string[];
  /** With regard to what the node is served now. */
  readonly sync: SyncStatus;
  /** Newest response that left. */
  readonly sent?: VersionAndNonce;
  /** Newest response that the client accepted. */
  readonly acked?: VersionAndNonce;
  /** The refusal that stands: what was refused has not been made up for. `text`: the client's own words. */
  readonly nacked?: { readonly text: string };
  /** What is owed and withheld: the whole response, or these names. */
  readonly withheld?: 'all' | readonly string[];
  /** How often each happened on this stream. */
  readonly counts: NodeTypeCounts;
}

export interface NodeTypeCounts {
  readonly requests: number;
  readonly responses: number;
  readonly acks: number;
  readonly nacks: number;
  readonly withheld: number;
}

/** A client by the identity of its first request: all that is known of it. Frozen; ask again for news. */
export interface NodeState {
  readonly id: string;
  readonly cluster: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
  /** E.g. `envoy 1.40.0`. */
  readonly userAgent?: string;
  /** True while it has an open stream. Nodes that left stay listed, the newest 100 of them, as they were at the end. */
  readonly connected: boolean;
  /** When its last stream ended; absent while it is connected. */
  readonly leftAtMs?: number;
  /** Open streams, oldest first. */
  readonly streams: readonly NodeStream[];
  /** In push order. A node that left: as its last stream of each type was. */
  readonly types: readonly NodeType[];
}

/** What a node is served, or, where none was named, what everybody is served who has nothing of their own. */
export interface ServedSnapshot {
  readonly node?: string;
  /** `<RFC 3339 time>/<counter>`, as in responses. */
  readonly version: string;
  /** Counts publishes from 1. */
  readonly sequence: number;
  /** In push order, those published with nothing in them, too. */
  readonly types: readonly ServedType[];
}

/** All resources of one type that are served. */
export interface ServedType {
  readonly typeUrl: string;
  /** The short name, e.g. `CDS`. */
  readonly type: string;
  /** In the order they were published; duplicates kept on purpose last. */
  readonly resources: readonly ServedResource[];
}

export interface ServedResource {
  readonly name: string;
  /** Its own version, if the quirk `resource-version` is `content`. */
  readonly version?: string;
  /** The serialized message. Do not write to it. */
  readonly value: Uint8Array;
}
