import type { Rule } from '../rule.ts';

/** No root-cert.pem. */
export const agentNoRoot: Rule = {
  id: 'agent-no-root',
  area: 'agent',
  cause: 'pilot-agent finds no root certificate, so it cannot tell istiod from a stranger, and ends or cannot connect',
  symptom: '`root CA file for XDS does not exist`, `failed to find root CA cert`',
  rulesOut: 'root-cert.pem in /var/run/secrets/istio',
  next: 'kubectl get configmap istio-ca-root-cert -n NAMESPACE -o yaml',
  words:
    /root CA file for (XDS|CA) does not exist|failed to find root CA cert|no such file or directory.*root-cert\.pem|open \S*root-cert\.pem: no such file/,
};
