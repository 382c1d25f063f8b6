import { claimedIdentity } from '../ca/csr-names.ts';
import { parseSpiffeId, type SpiffeId } from '../ca/spiffe-id.ts';
import type { CertificateRequest } from './ca-door.ts';
import type { Credentials } from './credentials.ts';
import { serviceAccountOf } from './token-claims.ts';

/**
 * Who an open lab signs for, where nobody has to prove anything: whom the caller acts for, else whose token it brings, valid or not, else
 * who the request says that it is for, else service account `default` of namespace `default`.
 */
export async function unprovenIdentity(request: CertificateRequest, credentials: Credentials, trustDomain: string): Promise<SpiffeId> {
  const impersonated = request.impersonated === undefined ? undefined : parseSpiffeId(request.impersonated);
  const identity = impersonated ?? identityOfToken(credentials.authorization, trustDomain) ?? (await claimedIdentity(request.csr));
  return identity ?? { trustDomain, namespace: 'default', serviceAccount: 'default' };
}

function identityOfToken(header: string | undefined, trustDomain: string): SpiffeId | undefined {
  const payload = /^Bearer [^.]*\.([^.]+)\./.exec(header ?? '')?.[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const found = typeof claims === 'object' && claims !== null && 'sub' in claims ? serviceAccountOf(claims.sub) : undefined;
    return found && { trustDomain, ...found };
  } catch {
    return undefined;
  }
}
