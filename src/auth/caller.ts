import type { SpiffeId } from '../ca/spiffe-id.ts';

/** Somebody who has proved who they are. */
export interface Caller {
  readonly identity: SpiffeId;
  /** What proved it. */
  readonly by: 'client certificate' | 'token';
  /** The audiences of the token. */
  readonly audiences?: readonly string[];
  /** The Kubernetes cluster that vouches for the token. */
  readonly clusterId?: string;
}

/** Why one authenticator does not know the caller. */
export interface Doubt {
  /** istiod's name for the authenticator, as it stands in its log. */
  readonly authenticator: 'ClientCertAuthenticator' | 'KubeJWTAuthenticator';
  /** In istiod's words. */
  readonly reason: string;
  /** The audiences the token is meant for, where that is the trouble. */
  readonly audiences?: readonly string[];
}

/** What came of asking all authenticators, the first that knows the caller winning. */
export type Authentication = { readonly ok: true; readonly caller: Caller } | { readonly ok: false; readonly doubts: readonly Doubt[] };

/** All doubts in one line, as istiod's log has them. */
export function doubtsText(doubts: readonly Doubt[]): string {
  return doubts.map(({ authenticator, reason }) => `Authenticator ${authenticator}: ${reason}`).join('; ');
}
