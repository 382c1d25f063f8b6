import type { Rule } from '../rule.ts';

/** Istio before 1.5 (istio#17551). */
export const agentNoCerts: Rule = {
  id: 'agent-no-certs',
  area: 'agent',
  cause: 'the certificates that the proxy takes from files are not there: the Secret of Citadel, or what mounts it',
  symptom: '`waiting 2m0s for /etc/certs/key.pem`, `watching /etc/certs encountered an error no such file or directory`',
  rulesOut: 'cert-chain.pem, key.pem and root-cert.pem in /etc/certs',
  next: 'kubectl get secret istio.SERVICE-ACCOUNT -n NAMESPACE; is Citadel (istio-citadel) running?',
  words: /waiting \S+ for \/etc\/certs\/|watching \/etc\/certs encountered an error no such file/,
};
