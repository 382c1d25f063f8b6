import * as v from 'valibot';
import { matchesPattern } from '../protocol/node.ts';
import { described, flag } from '../script/schema-parts.ts';
import { nodeAnswer, nodesAnswer, subscriptionsAnswer } from './answer-forms.ts';
import { nodeParam, nodePattern, typeQuery } from './query-forms.ts';
import { route } from './route.ts';
import { typeUrlIn } from './type-word.ts';

const connectedQuery = v.optional(described(flag, 'true: only nodes that are connected; false: only those that have left'));

export const nodeRoutes = {
  nodes: route({
    method: 'GET',
    path: '/nodes',
    tag: 'Nodes',
    summary: 'List the nodes that are or were connected, and all that is known of each',
    library: 'istiod.nodes',
    ctl: ['nodes'],
    params: {},
    query: { node: nodePattern, connected: connectedQuery },
    answer: nodesAnswer,
    handle({ query: { node = '*', connected } }, { istiod }) {
      const meant = istiod.nodes.filter(({ id }) => matchesPattern(node, id));
      return { nodes: meant.filter((one) => connected === undefined || one.connected === connected) };
    },
  }),
  node: route({
    method: 'GET',
    path: '/nodes/{node}',
    tag: 'Nodes',
    summary: 'Tell all that is known of a node',
    library: 'istiod.node(id)',
    ctl: ['node'],
    params: { node: nodeParam },
    query: {},
    answer: nodeAnswer,
    errors: [404],
    handle: ({ params: { node } }, { istiod }) => istiod.node(node),
  }),
  subscriptions: route({
    method: 'GET',
    path: '/subscriptions',
    tag: 'Nodes',
    summary: 'List what nodes subscribe to, and how far each has got',
    description: '`sync` is `not requested`, `not sent`, `withheld`, `sent`, `acked` or `nacked`, with regard to what is served now.',
    library: 'istiod.nodes',
    ctl: ['subscriptions'],
    params: {},
    query: { node: nodePattern, type: typeQuery, connected: connectedQuery },
    answer: subscriptionsAnswer,
    handle({ query: { node = '*', type, connected } }, { istiod }) {
      const typeUrl = type === undefined ? undefined : typeUrlIn('query', 'type', type);
      const meant = istiod.nodes.filter((one) => matchesPattern(node, one.id) && (connected === undefined || one.connected === connected));
      return {
        subscriptions: meant.flatMap((one) =>
          one.types
            .filter((kind) => typeUrl === undefined || kind.typeUrl === typeUrl)
            .map((kind) => ({ node: one.id, connected: one.connected, ...kind })),
        ),
      };
    },
  }),
};
