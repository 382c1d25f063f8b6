import type { Rule } from '../rule.ts';

/** No node (scenario missing-node). */
export const nodeMissing: Rule = {
  id: 'node-missing',
  area: 'bootstrap',
  cause: 'the bootstrap has no node id and cluster, without which Envoy asks nobody for anything',
  symptom: "exit 1; `node 'id' and 'cluster' are required`",
  rulesOut: 'node.id and node.cluster in the bootstrap, or --service-node and --service-cluster',
  next: 'fake-istiod check BOOTSTRAP',
  words: /node 'id' and 'cluster' are required/,
  refines: ['bootstrap-rejected'],
  makes: 'crash-loop',
};
