import type { Rule } from '../rule.ts';

/** A volume that cannot be mounted (kubeflow#5882, istio#29659). */
export const mountFailed: Rule = {
  id: 'mount-failed',
  area: 'pod',
  cause: 'the kubelet cannot mount a volume of the pod, so no container of it starts',
  symptom: '`ContainerCreating`; event `FailedMount` (`istio-token`, `istiod-ca-cert`); no restarts, no log of the proxy',
  rulesOut: 'a container of the pod that runs or has a log',
  next: 'kubectl describe pod POD; kubectl get configmap istio-ca-root-cert -n NAMESPACE (istiod writes it)',
  kubeWords: /^(FailedMount|FailedAttachVolume): /,
  detail: (seen) => {
    const told = seen
      .kubeEvents(/^FailedMount: /)
      .map(({ text }) => text)
      .join(' ');
    if (/istiod-ca-cert|istio-ca-root-cert/.test(told))
      return 'the ConfigMap istio-ca-root-cert is not there: istiod, which writes it, has not run or may not';
    return /istio-token/.test(told) ? 'the API server gives no token for an audience (TokenRequest)' : undefined;
  },
  makes: 'never-started',
};
