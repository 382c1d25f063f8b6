import type { Rule } from '../rule.ts';

/** No node. */
export const notScheduled: Rule = {
  id: 'not-scheduled',
  area: 'pod',
  cause: 'no node takes the pod, so none of its containers starts',
  symptom: '`Pending`; event `FailedScheduling`',
  rulesOut: 'a node in `kubectl get pod -o wide`',
  next: 'kubectl describe pod POD: the event says what is missing',
  shows: (seen) => (seen.of('container').some(({ state }) => state === 'running') ? [] : seen.kubeEvents(/^FailedScheduling: /)),
  makes: 'never-started',
};
