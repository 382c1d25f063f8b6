import { matchesNode, matchesPattern, type Node } from '../protocol/node.ts';
import { matchesValue } from './matcher.ts';
import type { EventPattern } from './trigger.ts';

/** What a pattern looks at: any event of the timeline. */
export interface ScriptInput {
  readonly event: string;
}

/** What an event says under a field's name; undefined if it says nothing. */
export function fieldOf(event: ScriptInput, field: string): unknown {
  return (event as unknown as Readonly<Record<string, unknown>>)[field];
}

/** The node behind an event, for patterns that ask for more than its id. Undefined if it is not known. */
export type NodeOf = (event: ScriptInput) => Node | undefined;

/** Says which part of a pattern an event of that name lacks: undefined if it matches. */
export function mismatch(pattern: EventPattern, event: ScriptInput, nodeOf?: NodeOf): string | undefined {
  if (pattern.typeUrl !== undefined && fieldOf(event, 'typeUrl') !== pattern.typeUrl) return 'type';
  if (pattern.istiod !== undefined && fieldOf(event, 'istiod') !== pattern.istiod) return 'istiod';
  if (pattern.envoy && !isOfEnvoy(pattern.envoy, event, nodeOf)) return 'envoy';
  if (pattern.node && !nodeMatches(pattern, event, nodeOf)) return 'node';
  for (const [field, matcher] of Object.entries(pattern.fields)) {
    if (!matchesValue(matcher, fieldOf(event, field))) return field;
  }
  return undefined;
}

/** True if `event` is one of those that `pattern` means. */
export function matchesEvent(pattern: EventPattern, event: ScriptInput, nodeOf?: NodeOf): boolean {
  return pattern.event === event.event && mismatch(pattern, event, nodeOf) === undefined;
}

/** What happened to an Envoy itself names it; of its streams its node id is known. */
function isOfEnvoy({ name, node }: NonNullable<EventPattern['envoy']>, event: ScriptInput, nodeOf: NodeOf | undefined): boolean {
  if (event.event.startsWith('envoy.')) return fieldOf(event, 'envoy') === name;
  return (fieldOf(event, 'node') ?? nodeOf?.(event)?.id) === node;
}

function nodeMatches({ node }: EventPattern, event: ScriptInput, nodeOf: NodeOf | undefined): boolean {
  if (!node) return true;
  const known = nodeOf?.(event);
  if (known) return matchesNode(node, known);
  const { id, ...rest } = node;
  const eventId = fieldOf(event, 'node');
  return (
    Object.values(rest).every((part) => part === undefined) &&
    id !== undefined &&
    typeof eventId === 'string' &&
    matchesPattern(id, eventId)
  );
}
