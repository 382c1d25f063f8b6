import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** 16, and no more. */
export const authenticationRefused: Rule = {
  id: 'authentication-refused',
  area: 'connection',
  cause: 'istiod does not know who calls: no token, its audience, expiry or signature, or the cluster id. The wire does not say which',
  symptom: '`closed: 16, authentication failure` (before Istio 1.8: 2), again and again; agent: `code = Unauthenticated`',
  rulesOut: 'a stream that stays open',
  next: "istiod's log has the reason: kubectl logs -n istio-system deploy/istiod | grep 'Failed to authenticate'",
  words:
    /closed(?: since [^:]*)?: 16, |code = Unauthenticated|closed: 2, authentication failure|Failed to authenticate client from|Authentication failed for \S+: Authenticator/,
  shows: (seen, standing) => (isHealed(standing) ? [] : seen.events('stream.refused', ({ code }) => code === 16)),
  refines: ['stream-refused'],
};
