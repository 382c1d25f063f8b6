import type { CryptoKey, JSONWebKeySet } from 'jose';
import type { JsonWebKeySet } from '../ca/token-key.ts';
import type { Caller, Doubt } from './caller.ts';
import type { Credentials } from './credentials.ts';
import type { AuthPolicy, KnownClusters } from './policy.ts';
import { checkClaims, type TokenDoubt } from './token-claims.ts';

/** No service account token comes near this; what is larger is not even parsed. */
const maxTokenLength = 64 * 1024;
const wrongSignature = 'the signature of the token is not valid';

/**
 * The caller behind a bearer token, as istiod's KubeJWTAuthenticator finds it: the header, the cluster that vouches for it, then what a
 * TokenReview would say (istio security/pkg/server/ca/authenticate/kubeauth/kube_jwt.go).
 */
export async function callerOfToken(
  credentials: Credentials,
  policy: AuthPolicy,
  now: Date,
): Promise<Caller | Omit<Doubt, 'authenticator'>> {
  const token = bearerToken(credentials.authorization);
  if ('reason' in token) return token;
  const clusterId = vouchingCluster(credentials.clusterId, policy.clusters);
  if (clusterId === undefined) return { reason: unknownCluster(credentials.clusterId ?? '', policy.clusters) };
  const claims = await reviewed(token.text, policy, now);
  if ('reason' in claims) return { ...claims, reason: invalid(clusterId, claims.reason) };
  const { namespace, serviceAccount, audiences } = claims;
  return { identity: { trustDomain: policy.trustDomains[0], namespace, serviceAccount }, by: 'token', audiences, clusterId };
}

function bearerToken(header: string | undefined): { readonly text: string } | { readonly reason: string } {
  if (header === undefined) return { reason: 'target JWT extraction error: no HTTP authorization header exists' };
  if (!header.startsWith('Bearer ')) return { reason: 'target JWT extraction error: no bearer token exists in HTTP authorization header' };
  const text = header.slice('Bearer '.length);
  return text.length > maxTokenLength
    ? { reason: `the token is ${text.length} characters long; at most ${maxTokenLength} are read` }
    : { text };
}

/** An empty id is istiod's own cluster; an alias stands for another; anything else must be known. */
function vouchingCluster(claimed: string | undefined, { own, remote, aliases }: KnownClusters): string | undefined {
  const id = claimed === undefined || claimed === '' ? own : (aliases[claimed] ?? claimed);
  return id === own || remote.includes(id) ? id : undefined;
}

function unknownCluster(claimed: string, { own, remote }: KnownClusters): string {
  return `client claims to be in cluster "${claimed}", but we only know about local cluster "${own}" and remote clusters [${remote.join(' ')}]`;
}

function invalid(clusterId: string, reason: string): string {
  return `failed to validate the JWT from cluster "${clusterId}": the service account authentication returns an error: [invalid bearer token, ${reason}]`;
}

async function reviewed(token: string, policy: AuthPolicy, now: Date): Promise<ReturnType<typeof checkClaims>> {
  const { decodeJwt } = await import('jose');
  const forged = policy.keys === 'unsigned-ok' ? undefined : await signatureDoubt(token, policy.keys);
  if (forged) return forged;
  try {
    return checkClaims(decodeJwt(token), policy, now);
  } catch {
    return { reason: 'the token is no JWT' };
  }
}

async function signatureDoubt(token: string, keys: JsonWebKeySet): Promise<TokenDoubt | undefined> {
  const { compactVerify, createLocalJWKSet, errors } = await import('jose');
  try {
    await compactVerify(token, createLocalJWKSet(keys as JSONWebKeySet));
    return undefined;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return namelessDoubt(token, error);
    if (error instanceof errors.JWSSignatureVerificationFailed) return { reason: wrongSignature };
    if (error instanceof errors.JWKSNoMatchingKey) return { reason: 'no known key has signed the token' };
    if (error instanceof errors.JOSENotSupported || error instanceof errors.JOSEAlgNotAllowed)
      return { reason: 'the token is signed by an algorithm that is not allowed' };
    return { reason: 'the token is no signed JWT' };
  }
}

/** A token that names no key may be signed by any that fits. */
async function namelessDoubt(token: string, candidates: AsyncIterable<CryptoKey>): Promise<TokenDoubt | undefined> {
  const { compactVerify } = await import('jose');
  for await (const key of candidates) {
    const fits = await compactVerify(token, key).then(
      () => true,
      () => false,
    );
    if (fits) return undefined;
  }
  return { reason: wrongSignature };
}
