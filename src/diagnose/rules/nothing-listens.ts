import type { Rule } from '../rule.ts';

/** An empty answer is an answer (istio#14739). */
export const nothingListens: Rule = {
  id: 'nothing-listens',
  area: 'after',
  cause: 'the configuration is complete and holds no listener, so no port of the mesh is served',
  symptom: 'LIVE; `lds.update_success` above zero, `total_listeners_active` 0',
  rulesOut: 'a listener in /listeners',
  next: 'is there a Gateway or Service for this workload? istioctl proxy-config listeners POD',
  shows: (seen, { state, hasListeners }) =>
    state === 'LIVE' && hasListeners && seen.positive('listener_manager.lds.update_rejected').length === 0
      ? seen.zero('listener_manager.total_listeners_active')
      : [],
  whenReady: true,
};
