import type { Rule } from '../rule.ts';

/** Architecture. */
export const wrongArchitecture: Rule = {
  id: 'wrong-architecture',
  area: 'pod',
  cause: "the image is for another processor than the node's",
  symptom: '`exec format error` is all of the log',
  rulesOut: 'an image with `arm64` and `amd64`, or nodes of one kind',
  next: 'kubectl get node NODE -o yaml (architecture); docker manifest inspect IMAGE',
  words: /exec format error/,
  kubeWords: /exec format error/,
  makes: 'crash-loop',
};
