import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Expiry. */
export const tokenExpired: Rule = {
  id: 'token-expired',
  area: 'connection',
  cause: 'the token has expired',
  symptom: '`closed: 16, authentication failure`, often only when the stream is opened anew; istiod: `service account token has expired`',
  rulesOut: 'an `exp` of the token in the future, by the clock of istiod',
  next: 'decode the token: cut -d. -f2 /var/run/secrets/tokens/istio-token | base64 -d (exp); does the kubelet renew it?',
  words: /token has expired|token is expired|oidc: token is expired/,
  shows: (seen, standing) =>
    isHealed(standing) ? [] : seen.events('token.rejected', ({ reason }) => /token (has|is) expired/.test(String(reason))),
  refines: ['authentication-refused', 'stream-refused'],
};
