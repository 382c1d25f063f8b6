import type { Rule } from '../rule.ts';

/** Not established (istio#28159). */
export const connectionReset: Rule = {
  id: 'connection-reset',
  area: 'connection',
  cause: 'the stream ends on the side of the proxy or between it and its agent, and nothing tells why',
  symptom: '`closed: 14, … reset reason: local reset`, while others are fine',
  rulesOut: 'the same in other proxies of the node',
  next: "pilot-agent's log (xdsproxy), and istiod's view of this proxy: istioctl proxy-status",
  fits: (seen) => seen.log(/reset reason: (local reset|connection termination)/).slice(-1),
};
