import type { Rule } from '../rule.ts';

/** A loop (go-control-plane#962). */
export const nackLoop: Rule = {
  id: 'nack-loop',
  area: 'rejected',
  cause: 'istiod answers each NACK with the same resource at once',
  symptom: '`update_rejected` grows by many in a second; CPU burns',
  rulesOut: '`update_rejected` that does not grow between two looks',
  next: 'two looks at /stats a second apart',
  // Rejections of weeks are many, too: what counts is how many there are in a second.
  shows: (seen) =>
    ['cluster_manager.cds.update_rejected', 'listener_manager.lds.update_rejected'].flatMap((name) => {
      const stat = seen.listedStat(name);
      const seconds = seen.count('server.uptime') ?? 1;
      return stat && Number(stat.value) >= 20 && Number(stat.value) / seconds >= 0.2 ? [stat] : [];
    }),
  whenReady: true,
};
