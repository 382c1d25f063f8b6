import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';
import { isRefusedAsStranger, otherAudiences } from '../token-evidence.ts';

/** Audience (istio#36221). */
export const tokenAudience: Rule = {
  id: 'token-audience',
  area: 'connection',
  cause: 'the token is for another audience than istiod asks for',
  symptom: '`closed: 16, authentication failure`; istiod: `token audiences […] is invalid for the target audiences ["istio-ca"]`',
  rulesOut: "an `aud` of the token that istiod's TOKEN_AUDIENCES holds (default istio-ca)",
  next: 'decode the token: cut -d. -f2 /var/run/secrets/tokens/istio-token | base64 -d; kubectl get pod POD -o yaml (serviceAccountToken.audience)',
  words: /token audiences? .*(is|are) invalid for the target audiences?|invalid audiences? \[|token audience mismatch/,
  shows: (seen, standing) => [
    ...(isHealed(standing)
      ? []
      : seen.events('token.rejected', ({ audiences, reason }) => audiences !== undefined || /audience/.test(String(reason)))),
    ...(isRefusedAsStranger(seen) ? otherAudiences(seen) : []),
  ],
  possible: (seen) => otherAudiences(seen),
  detail: (seen) =>
    /token audiences? (\[[^\]]*\]).*target audiences? (\[[^\]]*\])/
      .exec(
        [
          ...seen.log(/audiences/).map(({ text }) => text),
          ...seen.events('token.rejected').map(({ fields }) => String(fields['reason'])),
        ].at(-1) ?? '',
      )
      ?.slice(1, 3)
      .join(' instead of '),
  refines: ['authentication-refused', 'stream-refused'],
};
