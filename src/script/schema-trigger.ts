import * as v from 'valibot';
import { eventWords, fieldWords, tellsEnvoy } from './event-fields.ts';
import {
  count,
  described,
  durationForm,
  form,
  listOf,
  matcherForm,
  momentForm,
  nodeForm,
  nothing,
  oneOf,
  text,
  typeForm,
} from './schema-parts.ts';
import { scriptableEvents, type ScriptableEvent } from './trigger.ts';

/** What a file says about an event: nothing, the one word that matters, or fields. */
export type EventForm = string | number | null | Readonly<Record<string, unknown>>;

function fieldEntries(event: ScriptableEvent) {
  const { fields, typed, node } = eventWords[event];
  const compared = fields.map((field) => [field, v.optional(described(matcherForm, fieldWords[field] ?? field))] as const);
  return {
    ...(typed ? { type: v.optional(typeForm) } : {}),
    ...(node ? { node: v.optional(nodeForm) } : {}),
    ...(tellsEnvoy(event) ? { envoy: v.optional(described(text, 'Of several Envoys the one of this name')) } : {}),
    ...Object.fromEntries(compared),
  };
}

function eventForm(event: ScriptableEvent, more: v.ObjectEntries): v.GenericSchema<EventForm> {
  const { shorthand } = eventWords[event];
  const entries: v.ObjectEntries = { ...fieldEntries(event), ...more };
  const fields = form(`the event ${event}`, entries);
  const words = shorthand
    ? `nothing, ${shorthand === 'type' ? 'a type such as CDS' : `its ${shorthand}`}, or a map of fields`
    : 'nothing or a map of fields';
  return oneOf(words, [nothing, text, v.number(), fields]);
}

const nth = { nth: v.optional(described(count, 'Which one since the start: 1 (the default) is the first')) };

/** One optional key per event: the same words in triggers and expectations. */
export function eventEntries(
  more: v.ObjectEntries,
  note: string,
): Record<ScriptableEvent, v.OptionalSchema<v.GenericSchema<EventForm>, undefined>> {
  const entries = scriptableEvents.map(
    (event) => [event, v.optional(described(eventForm(event, more), eventDescription(event, note)))] as const,
  );
  return Object.fromEntries(entries) as unknown as ReturnType<typeof eventEntries>;
}

function eventDescription(event: ScriptableEvent, more: string): string {
  const { shorthand } = eventWords[event];
  return `The event ${event}. ${shorthand ? `A text alone is its ${shorthand}; ` : ''}${more}`;
}

/** When a step is due, as written. Several keys in one map: all of them. */
export type TriggerForm = string | TriggerMap;
export interface TriggerMap extends Partial<Record<ScriptableEvent, EventForm | undefined>> {
  readonly after?: string | undefined;
  readonly since?: string | undefined;
  readonly all?: readonly TriggerForm[] | undefined;
  readonly any?: readonly TriggerForm[] | undefined;
}

const parts = (words: string) =>
  listOf(
    v.lazy(() => triggerForm),
    `triggers, ${words}`,
  );

export const triggerForm: v.GenericSchema<TriggerForm> = oneOf('a trigger: the name of an event, or a map with events, after, all or any', [
  text,
  form('a trigger', {
    ...eventEntries(nth, 'a number alone is nth'),
    after: v.optional(described(durationForm, 'So long after a moment')),
    since: v.optional(described(momentForm, 'The moment that after counts from; default start')),
    all: v.optional(described(parts('all of which must come true'), 'All of these must have come true, in any order')),
    any: v.optional(described(parts('one of which must come true'), 'One of these must come true')),
  }),
]);
