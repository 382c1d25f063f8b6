import type { Rule } from '../rule.ts';

/** An object that the container's environment wants. */
export const containerConfigError: Rule = {
  id: 'container-config-error',
  area: 'pod',
  cause: 'a ConfigMap or Secret that a container takes its environment from is not there, or has not that key',
  symptom: '`CreateContainerConfigError`; event `Error: configmap "…" not found`',
  rulesOut: 'a container that has started',
  next: 'kubectl describe pod POD: the event names it',
  kubeWords: /CreateContainerConfigError|Error: (configmap|secret) "[^"]*" not found|Error: couldn't find key /,
  makes: 'never-started',
};
