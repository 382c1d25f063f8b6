import type { Rule } from '../rule.ts';

/** Proto merge appends (VALIDATE.md). */
export const clusterTwice: Rule = {
  id: 'cluster-twice',
  area: 'bootstrap',
  cause: 'a static cluster stands twice in the bootstrap: an override appends to lists, it does not replace',
  symptom: "exit 1; `duplicate cluster 'xds-grpc'`, or `must have no more than 1 gRPC services specified`",
  rulesOut: 'every name once',
  next: 'look into the ConfigMap of sidecar.istio.io/bootstrapOverride',
  words: /cluster manager: duplicate cluster|must have no more than 1 gRPC services/,
  refines: ['bootstrap-rejected'],
  makes: 'crash-loop',
};
