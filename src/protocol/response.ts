import type { Resource } from './resource.ts';
import type { Variant } from './request.ts';

/**
 * Why a response was sent. `warming`: EDS that follows a CDS response, changed or not, so that clusters can finish warming. `heartbeat`:
 * resources with a lifetime may be kept on.
 */
export type Cause = 'reply' | 'push' | 'release' | 'warming' | 'heartbeat';

/** A finished answer, independent of how it is encoded. */
export interface Response {
  readonly variant: Variant;
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  /** The same array for all streams that are sent the same thing, so that a codec can keep its bytes by identity. */
  readonly resources: readonly Resource[];
  /** Delta only: names that are gone. */
  readonly removed: readonly string[];
  readonly cause: Cause;
  /** The snapshot it was selected from. */
  readonly sequence: number;
  /** Who answers (`control_plane.identifier`); istiod says so in answers about itself alone (istio xdsgen.go:ControlPlane). */
  readonly controlPlane?: string;
}

/** A gRPC status: how a stream ends. */
export interface Status {
  readonly code: number;
  readonly message: string;
}
