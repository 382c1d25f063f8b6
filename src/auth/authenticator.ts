import { callerOfToken } from './bearer-token.ts';
import type { Authentication } from './caller.ts';
import { callerOfCertificate } from './client-certificate.ts';
import type { Credentials } from './credentials.ts';
import type { AuthPolicy } from './policy.ts';

/** Asks the authenticators in istiod's order, client certificate before token; the first that knows the caller wins. */
export async function authenticate(credentials: Credentials, policy: AuthPolicy, now: Date): Promise<Authentication> {
  const byCertificate = callerOfCertificate(credentials);
  if (typeof byCertificate !== 'string') return { ok: true, caller: byCertificate };
  const byToken = await callerOfToken(credentials, policy, now);
  if ('identity' in byToken) return { ok: true, caller: byToken };
  const doubts = [
    { authenticator: 'ClientCertAuthenticator', reason: byCertificate },
    { authenticator: 'KubeJWTAuthenticator', ...byToken },
  ] as const;
  return { ok: false, doubts };
}
