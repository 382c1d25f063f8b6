import * as v from 'valibot';
import { FakeIstiodError } from '../errors.ts';
import type { TimelineEvent } from '../events.ts';
import { eventText } from '../observe/event-text.ts';
import type { Timeline } from '../observe/timeline.ts';
import type { Node } from '../protocol/node.ts';
import { fieldOf, matchesEvent, mismatch, type NodeOf } from '../script/event-pattern.ts';
import { nthPattern } from '../script/explain-pattern.ts';
import { readPattern } from '../script/read-pattern.ts';
import { count, described, durationForm, expecting, form } from '../script/schema-parts.ts';
import { eventEntries, type EventForm } from '../script/schema-trigger.ts';
import { scriptableEvents, type EventPattern, type ScriptableEvent } from '../script/trigger.ts';
import type { ControlledIstiod } from './face.ts';
import type { RouteContext, Told } from './route.ts';

const whole = expecting('a whole number from 0');
const nth = { nth: v.optional(described(count, 'Which one: 1 (the default) is the first that counts')) };

/** What is awaited: one event in the words of a trigger, and how long. */
export const awaitedForm = form('what is awaited', {
  since: v.optional(
    described(
      v.pipe(v.number(whole), v.integer(whole), v.minValue(0, whole)),
      'Only events after the one of this seq count; left out: those that have happened already do, too',
    ),
  ),
  timeout: v.optional(described(durationForm, 'How long to wait, such as 5s; default 10s')),
  ...eventEntries(nth, 'a number alone is nth'),
});
export type AwaitedForm = Told<v.InferOutput<typeof awaitedForm>>;

/** An event that is awaited. */
export interface AwaitedEvent {
  readonly since: number;
  /** In English, to stand after "no event came as". */
  readonly what: string;
  /** To be asked of each event once, in their order. */
  matches(event: TimelineEvent): boolean;
  /** What came nearest, for a wait that fails. */
  nearest(timeline: Timeline): string | undefined;
}

/** The event that a body asks for. Error `request.invalid`. */
export function awaitedEvent(written: AwaitedForm, { findings, istiod }: RouteContext): AwaitedEvent {
  const named = scriptableEvents.filter((name) => written[name] !== undefined);
  const [event] = named;
  if (event === undefined || named.length > 1)
    throw FakeIstiodError.of('request.invalid', [
      {
        at: { file: 'body' },
        what: event === undefined ? 'no event is awaited' : `${named.length} events are awaited at once: ${named.join(', ')}`,
        remedy: 'Name one, e.g. {"response.acked": {"type": "CDS"}}',
      },
    ]);
  const { pattern, number } = readPattern(event, writtenOf(written, event), 'nth', [event], findings);
  findings.throwIfAny('request.invalid');
  const { since = 0 } = written;
  const nodeOf = nodeLookup(pattern, istiod);
  let left = typeof number === 'number' ? number : 1;
  return {
    since,
    what: nthPattern(pattern, left),
    matches(candidate) {
      if (candidate.seq <= since || !matchesEvent(pattern, candidate, nodeOf)) return false;
      left -= 1;
      return left === 0;
    },
    nearest: (timeline) => nearestText(timeline, pattern, since, nodeOf),
  };
}

function writtenOf(written: AwaitedForm, event: ScriptableEvent): EventForm {
  return (written as Readonly<Record<string, EventForm | undefined>>)[event] ?? null;
}

/** Asked only where more than the id counts: events bear that themselves. */
function nodeLookup({ node }: EventPattern, istiod: ControlledIstiod): NodeOf | undefined {
  if (!node || Object.keys(node).every((part) => part === 'id')) return undefined;
  return (event): Node | undefined => {
    const stream = fieldOf(event, 'stream');
    return istiod.nodes.find(({ id, streams }) => streams.some((one) => one.stream === stream) || id === fieldOf(event, 'node'));
  };
}

function nearestText(timeline: Timeline, pattern: EventPattern, since: number, nodeOf: NodeOf | undefined): string | undefined {
  const last = timeline.events.findLast((event) => event.event === pattern.event);
  if (!last) return undefined;
  const part = mismatch(pattern, last, nodeOf);
  if (part === undefined) return last.seq <= since ? `one came earlier, which does not count here: ${eventText(last)}` : undefined;
  const value = fieldOf(last, part);
  return `nearest: ${eventText(last)}\n         its ${part} is ${value === undefined ? 'absent' : JSON.stringify(value)}`;
}
