import type { Rule } from '../rule.ts';

/** Draining. */
export const draining: Rule = {
  id: 'draining',
  area: 'after',
  cause: 'the proxy is draining: it is about to end',
  symptom: 'DRAINING, `/ready` 503',
  rulesOut: 'a pod that is not being deleted, and no /healthcheck/fail',
  next: 'kubectl get pod POD (Terminating?)',
  shows: (seen, { state }) => (state === 'DRAINING' ? seen.of('state').slice(-1) : []),
};
