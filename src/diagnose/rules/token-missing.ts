import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** No token. */
export const tokenMissing: Rule = {
  id: 'token-missing',
  area: 'connection',
  cause: 'the proxy sends no token',
  symptom: '`closed: 16, authentication failure`; istiod: `no HTTP authorization header exists`; agent: `failed to fetch token from file`',
  rulesOut: 'an `authorization` header on the stream',
  next: 'ls -l /var/run/secrets/tokens in the proxy; kubectl get pod POD -o yaml (projected istio-token)',
  words:
    /no HTTP authorization header exists|failed to fetch token from file|no bearer token exists|open \S*\/tokens\/istio-token: no such file/,
  shows: (seen, standing) =>
    isHealed(standing) ? [] : seen.events('token.rejected', ({ reason }) => /no HTTP authorization header/.test(String(reason))),
  refines: ['authentication-refused', 'stream-refused'],
};
