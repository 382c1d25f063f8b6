import type { Rule } from '../rule.ts';

/** Starved (istio#12382). */
export const envoyBusy: Rule = {
  id: 'envoy-busy',
  area: 'agent',
  cause:
    "Envoy's admin port does not answer pilot-agent in time: its main thread is busy, for want of CPU or with a very large configuration",
  symptom: '`NOT ready: failed to get readiness stats: … Client.Timeout exceeded while awaiting headers`; watchdog misses',
  rulesOut: '/stats within a second',
  next: 'kubectl top pod POD --containers; the CPU limit of istio-proxy; how many clusters there are: /stats?filter=active_clusters',
  words: /(readiness stats|15000\/stats).*(Client\.Timeout exceeded|deadline exceeded)/,
};
