import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Signature, issuer. */
export const tokenSignature: Rule = {
  id: 'token-signature',
  area: 'connection',
  cause: 'the token is not of the API server that istiod asks: its signature or issuer is another',
  symptom: '`closed: 16, authentication failure`; istiod: `invalid bearer token, … signature` or `issuer`',
  rulesOut: 'a token of the same cluster',
  next: 'which cluster gave the token, and which is asked (clusterid)? decode the token (iss)',
  words:
    /failed to verify (id token )?signature|signature is invalid|square\/go-jose.*crypto|invalid signature|unexpected issuer|issued by a different provider/,
  shows: (seen, standing) =>
    isHealed(standing) ? [] : seen.events('token.rejected', ({ reason }) => /signature|issuer/.test(String(reason))),
  refines: ['authentication-refused', 'stream-refused'],
};
