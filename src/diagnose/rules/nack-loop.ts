import type { Rule } from '../rule.ts';

/** A loop (go-control-plane#962). */
export const nackLoop: Rule = {
  id: 'nack-loop',
  area: 'rejected',
  cause: 'istiod answers each NACK with the same resource at once',
  symptom: '`update_rejected` grows by many in a second; CPU burns',
  rulesOut: '`update_rejected` that does not grow between two looks',
  next: 'two looks at /stats a second apart',
  shows: (seen) =>
    seen.positive('cluster_manager.cds.update_rejected', 'listener_manager.lds.update_rejected').filter(({ value }) => Number(value) >= 20),
  whenReady: true,
};
