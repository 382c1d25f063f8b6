import type { Rule } from '../rule.ts';

/** Two views of ready (istio#39411). */
export const agentNotSatisfied: Rule = {
  id: 'agent-not-satisfied',
  area: 'after',
  cause: "Envoy is LIVE, and by pilot-agent's rule the proxy is not ready: it wants CDS and LDS accepted once each",
  symptom: '`/ready` 200 LIVE, 15021 and 15020 503, `1/2 Ready`',
  rulesOut: '`cds.update_success` and `lds.update_success` above zero',
  next: "kubectl logs POD -c istio-proxy | grep 'NOT ready'",
  shows: (seen, { state, agent }) =>
    state === 'LIVE' && agent && agent.verdict !== 'ready' && !/not yet updated/.test(agent.verdict) ? agent.evidence : [],
  detail: (_, { agent }) => agent?.verdict,
};
