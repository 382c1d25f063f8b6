/** What a caller wanted to be let in to. */
export type Service = 'xds' | 'ca';

interface CallerFacts {
  readonly service: Service;
  /** Address and port of the caller. */
  readonly peer: string;
}

/** A bearer token was believed. */
export interface TokenAccepted extends CallerFacts {
  readonly event: 'token.accepted';
  /** The SPIFFE id it stands for. */
  readonly identity: string;
  readonly audiences: readonly string[];
  /** The Kubernetes cluster that vouches for it. */
  readonly clusterId: string;
}

/** Nobody is known by what the caller brought; on the wire it is told no more than that. */
export interface TokenRejected extends CallerFacts {
  readonly event: 'token.rejected';
  /** Each authenticator's reason, as istiod logs it. */
  readonly reason: string;
  /** The audiences there, if they are the trouble. */
  readonly audiences?: readonly string[];
  /** The audiences wanted. */
  readonly wanted: readonly string[];
}

/** A client certificate was believed. */
export interface CertificateAccepted extends CallerFacts {
  readonly event: 'certificate.accepted';
  readonly identity: string;
}

/** A known caller is not the proxy that its first request says. */
export interface IdentityMismatched extends CallerFacts {
  readonly event: 'identity.mismatched';
  readonly identity: string;
  /** Whom the first request claims to be. */
  readonly nodeId: string;
  readonly text: string;
}

/** A closed gate kept a caller out. */
export interface CallerTurnedAway extends CallerFacts {
  readonly event: 'caller.turned-away';
  /** Why, in words. */
  readonly reason: string;
}

export type AuthEvent = TokenAccepted | TokenRejected | CertificateAccepted | IdentityMismatched | CallerTurnedAway;
