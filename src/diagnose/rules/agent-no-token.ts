import type { Rule } from '../rule.ts';

/** An injected template without the token volume (istio#25138). */
export const agentNoToken: Rule = {
  id: 'agent-no-token',
  area: 'agent',
  cause: 'pilot-agent finds no service account token and ends, before it starts Envoy',
  symptom: '`Missing JWT, cannot authenticate with control plane`; no line of Envoy: no xDS problem at all',
  rulesOut: 'a projected volume istio-token that the proxy mounts',
  next: 'kubectl get pod POD -o yaml (volumes, projected, serviceAccountToken); was it injected by an istiod of another release?',
  words: /[Mm]issing JWT, (can't|cannot|can not) authenticate/,
  possible: (seen) =>
    seen
      .of('workload')
      .filter(
        ({ workload: { hasProxy, token, env } }) =>
          hasProxy && token === undefined && /third-party/.test(env.get('JWT_POLICY')?.value ?? ''),
      )
      .flatMap(({ workload }) => workload.env.get('JWT_POLICY')?.evidence ?? []),
  makes: 'crash-loop',
};
