import { rejectedNow, rejectionTexts } from '../rejection.ts';
import type { Rule } from '../rule.ts';

/** Bind (istio#38824). */
export const listenerNotBound: Rule = {
  id: 'listener-not-bound',
  area: 'rejected',
  cause: "a listener's address cannot be bound: in use, or not an address of the pod. LDS is NACKed, other listeners work",
  symptom: '`failed to bind or apply socket options: cannot bind …`; `listener_create_failure` above zero, LIVE',
  rulesOut: '`listener_create_failure` 0',
  next: 'ss -ltnp in the network of the pod; bind_to_port of the listener (interception mode NONE?)',
  shows: (seen, standing) => rejectedNow(seen, standing, 'LDS', /cannot bind|failed to bind/),
  detail: (seen) => /cannot bind '[^']+': [A-Za-z ]+/.exec(rejectionTexts(seen, 'LDS').join(' '))?.[0],
  refines: ['lds-nacked'],
  whenReady: true,
};
