import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Identity. */
export const identityMismatch: Rule = {
  id: 'identity-mismatch',
  area: 'connection',
  cause: 'the token is good, but of another namespace or service account than the node says',
  symptom: '`closed: 7, authorization failed: no identities ([spiffe://…]) matched NS/SA`',
  rulesOut: 'node.metadata NAMESPACE and SERVICE_ACCOUNT that are those of the token',
  next: 'compare node.metadata (NAMESPACE, SERVICE_ACCOUNT) with the `sub` of the token',
  words: /authorization failed: no identities/,
  shows: (seen, standing) => (isHealed(standing) ? [] : seen.events('identity.mismatched')),
  detail: (seen) =>
    /no identities \(\[([^\]]*)\]\) matched (\S+?)(\{|$|\s)/
      .exec(seen.log(/no identities/).at(-1)?.text ?? '')
      ?.slice(1, 3)
      .join(' does not match '),
  refines: ['authentication-refused', 'stream-refused'],
};
