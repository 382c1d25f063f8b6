import type { Rule } from '../rule.ts';

/** The network plugin. */
export const sandboxFailed: Rule = {
  id: 'sandbox-failed',
  area: 'pod',
  cause: "the pod's network cannot be set up, so no container of it starts",
  symptom: '`ContainerCreating`; event `FailedCreatePodSandBox`, often with the name of a CNI plugin (`istio-cni`)',
  rulesOut: 'an IP of the pod',
  next: 'kubectl describe pod POD; the log of the plugin on that node: kubectl logs -n kube-system -l k8s-app=istio-cni-node',
  shows: (seen) => (seen.of('container').some(({ state }) => state === 'running') ? [] : seen.kubeEvents(/^FailedCreatePodSandBox: /)),
  makes: 'never-started',
};
