import type { Event, EventName, TimelineEvent } from '../events.ts';
import { matchesPattern } from '../protocol/node.ts';
import { resourceTypeNamed } from '../protocol/resource-type.ts';

/** What a field is compared with: a value (`*` in a string stands for any characters), an expression, or a test of one's own. */
export type FieldQuery<V> =
  | V
  | (V extends readonly (infer M)[] ? M : never)
  | (NonNullable<V> extends string | readonly string[] ? string | RegExp : never)
  | ((value: V) => boolean);

type FieldsOf<E> = E extends Event ? { readonly [K in Exclude<keyof E, 'event' | 'type'>]?: FieldQuery<E[K]> } : never;

/**
 * Which event is meant: its name and any of its fields. The name stands under `type`, as DOM events have it, or under `event`, as in the
 * events themselves; in the second form `type` is the resource type (`CDS`, `clusters`, or its type URL).
 *
 *     { type: 'response.withheld', typeUrl: TypeUrl.cluster }
 *     { event: 'response.nacked', type: 'LDS', text: /unknown cluster/ }
 *
 * A list field (`names`) matches if one of its members does, or, compared with a list, if all of those are in it.
 */
export type EventQuery<N extends EventName = EventName> = QueryByType<N> | QueryByEvent<N>;
/** The form with the name under `type`. */
export type QueryByType<N extends EventName> = { readonly type: N } & FieldsOf<Extract<Event, { event: N }>>;
/** The form with the name under `event`, `type` being the resource type. */
export type QueryByEvent<N extends EventName> = { readonly event: N; readonly type?: string } & FieldsOf<Extract<Event, { event: N }>>;

/** A query taken apart. */
interface Asked {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function asked(query: EventQuery): Asked {
  const { event, type, ...fields } = query as Readonly<Record<string, unknown>>;
  return event === undefined
    ? { name: String(type), fields }
    : { name: String(event), fields: type === undefined ? fields : { ...fields, type } };
}

/** True if the event is one of those that `query` means. */
export function matchesQuery(query: EventQuery, event: TimelineEvent): boolean {
  const { name, fields } = asked(query);
  return event.event === name && differences(fields, event).length === 0;
}

/** The query in words: `response.nacked with type LDS and text like /unknown cluster/`. */
export function queryText(query: EventQuery): string {
  const { name, fields } = asked(query);
  const parts = Object.entries(fields).filter(([, wanted]) => wanted !== undefined);
  return parts.length === 0 ? name : `${name} with ${parts.map(([field, wanted]) => `${field} ${wantedText(wanted)}`).join(' and ')}`;
}

/** Of events with the right name the one that differs least (the newest of those), and how. */
export function nearestEvent(
  query: EventQuery,
  events: readonly TimelineEvent[],
): { readonly event: TimelineEvent; readonly difference: string } | undefined {
  const { name, fields } = asked(query);
  let nearest: { readonly event: TimelineEvent; readonly differing: readonly string[] } | undefined;
  for (const event of events) {
    if (event.event !== name) continue;
    const differing = differences(fields, event);
    if (!nearest || differing.length <= nearest.differing.length) nearest = { event, differing };
  }
  if (!nearest) return undefined;
  const { event, differing } = nearest;
  const words = differing.map((field) => `${field} is ${foundText(fieldOf(event, field))}, not ${wantedText(fields[field])}`);
  return { event, difference: words.join('; ') };
}

function differences(fields: Readonly<Record<string, unknown>>, event: TimelineEvent): readonly string[] {
  return Object.entries(fields).flatMap(([field, wanted]) => (wanted === undefined || matchesField(field, wanted, event) ? [] : [field]));
}

function fieldOf(event: TimelineEvent, field: string): unknown {
  return (event as unknown as Readonly<Record<string, unknown>>)[field];
}

function matchesField(field: string, wanted: unknown, event: TimelineEvent): boolean {
  const found = fieldOf(event, field);
  if ((field === 'type' || field === 'typeUrl') && typeof wanted === 'string') {
    const type = resourceTypeNamed(wanted);
    if (type) return fieldOf(event, 'typeUrl') === type.typeUrl;
  }
  return matches(wanted, found);
}

function matches(wanted: unknown, found: unknown): boolean {
  if (typeof wanted === 'function') return Boolean((wanted as (value: unknown) => unknown)(found));
  if (found === undefined) return false;
  if (Array.isArray(found)) {
    const list: readonly unknown[] = found;
    return Array.isArray(wanted)
      ? wanted.every((member) => list.some((entry) => matches(member, entry)))
      : list.some((entry) => matches(wanted, entry));
  }
  if (wanted instanceof RegExp) return new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, '')).test(String(found));
  return typeof wanted === 'string' && typeof found === 'string' ? matchesPattern(wanted, found) : Object.is(wanted, found);
}

function wantedText(wanted: unknown): string {
  if (wanted instanceof RegExp) return `like ${String(wanted)}`;
  if (typeof wanted === 'function') return 'as the given test demands';
  return foundText(wanted);
}

function foundText(value: unknown): string {
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return value.length === 0 ? 'no name' : value.map(String).join(', ');
  return value === '' ? 'empty' : String(value);
}
