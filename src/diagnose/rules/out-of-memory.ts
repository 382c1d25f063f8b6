import type { Rule } from '../rule.ts';

/** Killed by the kernel. */
export const outOfMemory: Rule = {
  id: 'out-of-memory',
  area: 'pod',
  cause: 'the container was killed for using more memory than its limit',
  symptom: '`OOMKilled`, exit code 137',
  rulesOut: 'another reason in `Last State`',
  next: 'kubectl describe pod POD (limits), /memory of the admin API',
  kubeWords: /OOMKilled/,
  makes: 'crash-loop',
};
