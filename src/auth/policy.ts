import { defaultTrustDomain } from '../ca/spiffe-id.ts';
import type { JsonWebKeySet } from '../ca/token-key.ts';
import { defaultAudience } from './token.ts';

/** What istiod knows of Kubernetes clusters: its own, those it has a remote secret for, and other names for them. */
export interface KnownClusters {
  /** istiod's CLUSTER_ID. Default `Kubernetes`. */
  readonly own: string;
  /** Remote clusters. Default none. */
  readonly remote: readonly string[];
  /** Another name → the name it stands for (istiod's --clusterAliases). */
  readonly aliases: Readonly<Record<string, string>>;
}

/** Whom istiod believes, and how it says no. */
export interface AuthPolicy {
  /** The mesh's trust domain first, then its aliases. Default `cluster.local`. */
  readonly trustDomains: readonly [string, ...string[]];
  /** A token has to be meant for one of these (istiod's TOKEN_AUDIENCES). Default `istio-ca`. */
  readonly audiences: readonly string[];
  /** Who has to have issued tokens. Default: anybody. */
  readonly issuer?: string;
  /** What signatures are checked with; `unsigned-ok` checks none, for quick labs. */
  readonly keys: JsonWebKeySet | 'unsigned-ok';
  readonly clusters: KnownClusters;
  /** Whether the caller must be who the node of its first request says (istiod's PILOT_ENABLE_XDS_IDENTITY_CHECK). Default true. */
  readonly identityCheck: boolean;
  /** `demanded`: the handshake fails without a client certificate. Default `optional`, as with istiod. */
  readonly clientCertificate: 'optional' | 'demanded';
  /** How refusals read: as istiod says them today, or as it did before 1.8 (status 2 for xDS). Default `current`. */
  readonly texts: 'current' | 'old';
  /** How far the clocks may differ when a token's time is checked, in milliseconds. Default 0. */
  readonly clockSkewMs: number;
}

/**
 * What somebody wants of a policy; the rest is as it was, or istiod's default. `keys` may be `pki`: what the server itself signs tokens
 * with, which is the default.
 */
export interface AuthWish extends Partial<Omit<AuthPolicy, 'keys' | 'clusters'>> {
  readonly keys?: AuthPolicy['keys'] | 'pki';
  readonly clusters?: Partial<KnownClusters>;
}

/** A policy with istiod's defaults. Signatures are not checked unless the wish brings keys. */
export function authPolicy(wish: Partial<AuthPolicy> = {}): AuthPolicy {
  return {
    trustDomains: [defaultTrustDomain],
    audiences: [defaultAudience],
    keys: 'unsigned-ok',
    clusters: { own: 'Kubernetes', remote: [], aliases: {} },
    identityCheck: true,
    clientCertificate: 'optional',
    texts: 'current',
    clockSkewMs: 0,
    ...wish,
  };
}

/**
 * `before` with a wish laid over it, part by part.
 *
 * @param before rules in force; undefined where nobody was asked
 * @param own what the server itself brings along: its trust domain, and the keys that `pki` stands for
 */
export function changedPolicy(before: AuthPolicy | undefined, wish: AuthWish, own: Pick<AuthPolicy, 'trustDomains' | 'keys'>): AuthPolicy {
  const base = before ?? authPolicy(own);
  const { keys, clusters, ...rest } = wish;
  return {
    ...base,
    ...rest,
    keys: keys === undefined ? base.keys : keys === 'pki' ? own.keys : keys,
    clusters: { ...base.clusters, ...clusters },
  };
}
