import * as v from 'valibot';
import { count, described, durationForm, expecting, flag, listOf, text, variantForm, wordOf } from '../script/schema-parts.ts';

/*
 * Parameters that several operations have.
 */

const wholeWords = expecting('a whole number from 0');
const whole = v.pipe(v.number(wholeWords), v.integer(wholeWords), v.minValue(0, wholeWords));

export const typeParam = described(text, 'A resource type: CDS, clusters, or a type URL (with its slash as %2F)');
export const nodeParam = described(text, 'The node id');

export const nodePattern = v.optional(described(text, 'A node id, in which * stands for any characters; left out: every node'));
export const nodeId = v.optional(described(text, 'A node id; left out: what nodes are served that have nothing of their own'));
export const layerOf = v.optional(
  described(text, 'For nodes with this id only (* stands for any characters): a layer above what everybody is served'),
);
export const typeQuery = v.optional(described(text, 'A resource type: CDS, clusters, a type URL'));
export const sinceQuery = v.optional(described(whole, 'Only what came after the event of this seq'));
export const limitQuery = v.optional(described(count, 'The newest so many of them'));
export const timeoutQuery = v.optional(described(durationForm, 'How long to wait, such as 5s; default 10s'));

/** Which frames of the journal are meant. */
export const frameQuery = {
  direction: v.optional(described(wordOf(['in', 'out']), 'in: requests; out: responses')),
  type: typeQuery,
  node: nodePattern,
  stream: v.optional(described(whole, 'Number of the stream')),
  variant: v.optional(variantForm),
  outcome: v.optional(described(wordOf(['initial', 'ack', 'nack', 'stale', 'spontaneous']), 'What a request says of our last response')),
  cause: v.optional(described(wordOf(['reply', 'push', 'release', 'warming', 'heartbeat']), 'Why a response was sent')),
  version: v.optional(described(text, 'The version in it')),
  nonce: v.optional(described(text, 'The nonce in it')),
  name: v.optional(described(text, 'A resource name in it, also one that is gone; * stands for any characters')),
  text: v.optional(described(text, 'What the words of a NACK hold')),
  since: sinceQuery,
};

/** Which events are meant. */
export const eventQuery = {
  event: v.optional(described(listOf(text, 'event names'), 'Names of events, such as response.acked; * stands for any characters')),
  type: typeQuery,
  node: nodePattern,
};

export const countQuery = {
  exactly: v.optional(described(whole, 'So many')),
  at_least: v.optional(described(whole, 'So many or more')),
  at_most: v.optional(described(whole, 'So many or fewer')),
};

export const includeFormer = v.optional(described(flag, 'Also those of before rotate: root, newest first'));
