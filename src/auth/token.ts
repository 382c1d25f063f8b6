import { randomUUID } from 'node:crypto';
import type { TokenKey } from '../ca/token-key.ts';
import { systemClock, type Clock } from '../clock.ts';

/** Who signs the tokens of a Kubernetes cluster that names nobody else. */
export const defaultIssuer = 'https://kubernetes.default.svc.cluster.local';

/** Whom istiod's tokens are for (Istio's Helm value `global.sds.token.aud`). */
export const defaultAudience = 'istio-ca';

/** A service account token that is wanted. */
export interface TokenWish {
  /** Default: `istio-ca` alone. May be empty. */
  readonly audiences?: readonly string[];
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Default `https://kubernetes.default.svc.cluster.local`. */
  readonly issuer?: string;
  /** From `notBefore` on. Default one hour, as of a projected volume that says nothing. */
  readonly ttlMs?: number;
  /** Also when it was issued, if that is earlier than now. Default now. */
  readonly notBefore?: Date;
  /** The pod it is bound to. Default: one of the service account's name. */
  readonly pod?: string;
}

const defaultTtlMs = 3_600_000;

/**
 * A JWT in the form of a projected service account token of Kubernetes: `aud` is a list, `sub` is
 * `system:serviceaccount:NAMESPACE:NAME`, and `kubernetes.io` names the objects it is bound to.
 *
 * @param key signs it; without one the token is unsigned (`alg: none`), which only a server that checks no signature takes
 */
export async function mintToken(key: TokenKey | undefined, wish: TokenWish, clock: Clock = systemClock): Promise<string> {
  const claims = claimsOf(wish, clock.date());
  const { SignJWT, UnsecuredJWT } = await import('jose');
  if (!key) return new UnsecuredJWT(claims).encode();
  return new SignJWT(claims).setProtectedHeader({ alg: key.algorithm, kid: key.kid }).sign(key.privateKey);
}

function claimsOf(wish: TokenWish, now: Date): Record<string, unknown> {
  const { audiences = [defaultAudience], namespace, serviceAccount, issuer = defaultIssuer, ttlMs = defaultTtlMs, notBefore = now } = wish;
  const bound = (name: string): { readonly name: string; readonly uid: string } => ({ name, uid: randomUUID() });
  return {
    aud: audiences,
    exp: seconds(notBefore.getTime() + ttlMs),
    iat: seconds(Math.min(now.getTime(), notBefore.getTime())),
    iss: issuer,
    jti: randomUUID(),
    'kubernetes.io': { namespace, pod: bound(wish.pod ?? serviceAccount), serviceaccount: bound(serviceAccount) },
    nbf: seconds(notBefore.getTime()),
    sub: `system:serviceaccount:${namespace}:${serviceAccount}`,
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
