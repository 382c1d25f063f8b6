import type { StreamFacts } from '../protocol/protocol-event.ts';
import type { Variant } from '../protocol/request.ts';

/** A client opened an xDS stream; nothing was asked yet. */
export interface StreamOpened {
  readonly event: 'stream.opened';
  readonly stream: number;
  readonly variant: Variant;
  /** Address and port of the client. */
  readonly peer: string;
  /** True if it came over TLS. */
  readonly secure: boolean;
  /** The single-type service that was called, e.g. `envoy.service.secret.v3.SecretDiscoveryService`. Absent for ADS. */
  readonly service?: string;
}

/** A stream ended. */
export interface StreamClosed extends StreamFacts {
  readonly event: 'stream.closed';
  readonly by: 'client' | 'server';
  /** The gRPC status code; 1 (CANCELLED) when the client went away. */
  readonly code: number;
  readonly text: string;
}

/** A stream was refused at once with a status. */
export interface StreamRefused {
  readonly event: 'stream.refused';
  readonly stream: number;
  readonly variant: Variant;
  readonly peer: string;
  readonly secure: boolean;
  readonly code: number;
  readonly text: string;
}

interface FaultFacts extends StreamFacts {
  readonly typeUrl: string;
  readonly type: string;
  readonly version: string;
  readonly nonce: string;
}

/** A finished response waits on purpose before it leaves. */
export interface ResponseDelayed extends FaultFacts {
  readonly event: 'response.delayed';
  readonly delayMs: number;
}

/** A response counts as sent but never leaves. */
export interface ResponseDropped extends FaultFacts {
  readonly event: 'response.dropped';
}

/** What is served changed. */
export interface SnapshotPublished {
  readonly event: 'snapshot.published';
  readonly version: string;
  readonly sequence: number;
  /** Short names of the types whose content changed. */
  readonly types: readonly string[];
  /** Resource names that were set, and those that were removed. */
  readonly names: readonly string[];
  readonly removed: readonly string[];
}

/** What depends on the node could not be made for one: it is served nothing of that. */
export interface ContentFailed {
  readonly event: 'content.failed';
  /** Its id. */
  readonly node: string;
  readonly reason: string;
}

/** What was to be served anew cannot be read: what is served stays as it is. */
export interface ReloadFailed {
  readonly event: 'reload.failed';
  readonly reason: string;
}

/** istiod was told of a cluster under an id that is taken: of what runs there it sees nothing. */
export interface RegistryIgnored {
  readonly event: 'registry.ignored';
  /** The cluster, as the scenario calls it. */
  readonly cluster: string;
  readonly clusterId: string;
  /** The line that istiod logs. */
  readonly text: string;
}

export type SessionEvent =
  | StreamOpened
  | StreamClosed
  | StreamRefused
  | ResponseDelayed
  | ResponseDropped
  | SnapshotPublished
  | ContentFailed
  | ReloadFailed
  | RegistryIgnored;
