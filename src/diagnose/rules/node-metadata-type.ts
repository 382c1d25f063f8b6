import type { Rule } from '../rule.ts';

/** Version skew (istio#33989). */
export const nodeMetadataType: Rule = {
  id: 'node-metadata-type',
  area: 'connection',
  cause: 'istiod cannot read the metadata of the node: a field is of another type than this istiod wants',
  symptom: '`closed: 2, failed to unmarshal node metadata … cannot unmarshal string into … of type bool`',
  rulesOut: 'agent and istiod of the same release',
  next: 'the field named in the text, in node.metadata of the bootstrap; which release wrote it?',
  words: /unmarshal.* node metadata|cannot unmarshal \w+ into .*NodeMetadata|failed to (convert|unmarshal) node metadata/,
  refines: ['stream-refused'],
};
