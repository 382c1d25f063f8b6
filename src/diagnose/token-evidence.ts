import type { Evidence } from './evidence.ts';
import { quoted } from './evidence.ts';
import type { Seen } from './seen.ts';

/** What istiod asks for unless TOKEN_AUDIENCES says otherwise. */
const usual = 'istio-ca';

/** istiod refuses a caller as unknown, and the reason is not among the inputs. */
export function isRefusedAsStranger(seen: Seen): boolean {
  const refused =
    seen.log(/closed(?: since [^:]*)?: 16, |code = Unauthenticated/).length > 0 ||
    seen.events('stream.refused', ({ code }) => code === 16).length > 0;
  return refused && seen.events('token.rejected').length === 0 && seen.log(/Failed to authenticate client/).length === 0;
}

/** Tokens, or volumes that project one, for another audience than istiod's usual one. */
export function otherAudiences(seen: Seen): readonly Evidence[] {
  const volumes = seen.of('workload').flatMap(({ workload: { token } }) => (token && token.audience !== usual ? [token.evidence] : []));
  const headers = seen.bootstraps.flatMap(({ authorization }) => {
    const audiences = audiencesOf(authorization?.name ?? '');
    return authorization && audiences && !audiences.includes(usual)
      ? [quoted(authorization.at, `aud of the token: ${audiences.join(', ')}`)]
      : [];
  });
  return [...volumes, ...headers];
}

/** `aud` of a bearer token, a text or a list; undefined for what is no JWT. */
function audiencesOf(header: string): readonly string[] | undefined {
  const payload = /^Bearer\s+[\w-]+\.([\w-]+)\./i.exec(header)?.[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    const aud: unknown = typeof claims === 'object' && claims !== null && 'aud' in claims ? claims.aud : [];
    return (Array.isArray(aud) ? (aud as readonly unknown[]) : [aud]).map(String);
  } catch {
    return undefined;
  }
}
