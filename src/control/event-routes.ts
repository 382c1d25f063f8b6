import * as v from 'valibot';
import { FakeIstiodError } from '../errors.ts';
import type { EnvoyEvent } from '../envoy/envoy-event.ts';
import type { TimelineEvent } from '../events.ts';
import type { ExpectationEvent } from '../observe/expectation-event.ts';
import { matchesPattern } from '../protocol/node.ts';
import { durationMs } from '../script/duration.ts';
import { described, expecting, listOf, oneOf, text } from '../script/schema-parts.ts';
import { eventAnswer, eventsAnswer } from './answer-forms.ts';
import { awaitedEvent, awaitedForm } from './awaited-event.ts';
import { eventQuery, limitQuery, nodePattern, sinceQuery, timeoutQuery } from './query-forms.ts';
import { reportForm } from './report-form.ts';
import { route, type Told } from './route.ts';
import { typeUrlIn } from './type-word.ts';

type EventQuery = Told<v.InferOutput<v.ObjectSchema<typeof eventQuery, undefined>>>;

/** The test that a query stands for. Error `request.invalid` for a type that is none. */
function eventFilter({ event: names, type, node }: EventQuery): (event: TimelineEvent) => boolean {
  const typeUrl = type === undefined ? undefined : typeUrlIn('query', 'type', type);
  return (event) => {
    const fields = event as { readonly typeUrl?: unknown; readonly node?: unknown };
    if (names && !names.some((name) => matchesPattern(name, event.event))) return false;
    if (typeUrl !== undefined && fields.typeUrl !== typeUrl) return false;
    return node === undefined || (typeof fields.node === 'string' && matchesPattern(node, fields.node));
  };
}

const fromWords = expecting('a seq (a whole number from 1) or the word now');
const fromQuery = v.optional(
  described(
    v.pipe(text, v.regex(/^([1-9]\d{0,14}|now)$/, fromWords)),
    'The seq to begin with, or now; left out: the oldest event that is kept',
  ),
);

/** A stream that is resumed goes on after what it had; an id that is none of ours is of a server that is gone. */
function beginning(lastEventId: string | null, from: string | undefined, newestSeq: number): number {
  if (lastEventId !== null && /^\d{1,15}$/.test(lastEventId)) return Number(lastEventId) <= newestSeq ? Number(lastEventId) + 1 : 1;
  if (from === 'now') return newestSeq + 1;
  return from === undefined ? 1 : Number(from);
}

function timeoutOf(timeout: string | undefined): { readonly timeoutMs?: number } {
  const timeoutMs = timeout === undefined ? undefined : durationMs(timeout);
  return timeoutMs === undefined ? {} : { timeoutMs };
}

export const eventRoutes = {
  events: route({
    method: 'GET',
    path: '/events',
    tag: 'Events',
    summary: 'List what has happened',
    library: 'istiod.timeline.events',
    ctl: ['events'],
    params: {},
    query: { ...eventQuery, since: sinceQuery, limit: limitQuery },
    answer: eventsAnswer,
    handle({ query: { since = 0, limit, ...query } }, { istiod: { timeline } }) {
      const matches = eventFilter(query);
      const found = timeline.events.filter((event) => event.seq > since && matches(event));
      return {
        events: (limit === undefined ? found : found.slice(-limit)).map((event) => ({ ...event })),
        dropped: timeline.dropped,
        newestSeq: timeline.last(1)[0]?.seq ?? 0,
      };
    },
  }),
  eventStream: route({
    method: 'GET',
    path: '/events/stream',
    tag: 'Events',
    summary: 'Tell what happens as it happens, as server-sent events',
    description:
      'What has happened comes first. `id` is the seq, `data` the event as JSON; `Last-Event-ID` resumes. A reader so slow that events are no longer kept is sent `event: missed` with their number; before the server ends the stream it sends `event: end`.',
    library: 'istiod.on(listener)',
    ctl: ['events'],
    params: {},
    query: { ...eventQuery, from: fromQuery },
    answer: v.string(),
    produces: 'text/event-stream',
    handle({ query: { from, ...query } }, { feed, istiod: { timeline }, headers }) {
      const newestSeq = timeline.last(1)[0]?.seq ?? 0;
      const body = feed.open({ from: beginning(headers.get('last-event-id'), from, newestSeq), matches: eventFilter(query) });
      return new Response(body, {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
      });
    },
  }),
  report: route({
    method: 'POST',
    path: '/events',
    tag: 'Events',
    summary: "Put events of the proxy's side, or of expectations, into the timeline",
    description: 'Steps see them, too: `{"event": "envoy.state-reached", "state": "LIVE"}`. One event or a list.',
    library: 'istiod.report(event)',
    ctl: ['report'],
    params: {},
    query: {},
    body: oneOf('an event of Envoy or of an expectation, or a list of them', [reportForm, listOf(reportForm, 'events')]),
    answer: v.strictObject({ reported: described(v.number(), 'How many'), newestSeq: v.number() }),
    handle({ body }, { istiod }) {
      const events = (Array.isArray(body) ? body : [body]) as readonly (EnvoyEvent | ExpectationEvent)[];
      for (const event of events) istiod.report(event);
      return { reported: events.length, newestSeq: istiod.timeline.last(1)[0]?.seq ?? 0 };
    },
  }),
  awaitEvent: route({
    method: 'POST',
    path: '/wait',
    tag: 'Events',
    summary: 'Wait until something happens; it may have happened already',
    description:
      'One event in the words of a scenario, e.g. `{"response.acked": {"type": "CDS"}, "timeout": "5s"}`. If it does not come, 409 says what was awaited, the nearest event and the last ten.',
    library: 'istiod.waitFor(match, options)',
    ctl: ['wait event'],
    params: {},
    query: {},
    body: awaitedForm,
    answer: v.strictObject({ event: eventAnswer }),
    errors: [409],
    async handle({ body }, context) {
      const { istiod, signal } = context;
      const awaited = awaitedEvent(body, context);
      const event = await istiod.waitFor((candidate: TimelineEvent) => awaited.matches(candidate), {
        since: awaited.since,
        what: `event (${awaited.what})`,
        hint: () => awaited.nearest(istiod.timeline),
        signal,
        ...timeoutOf(body.timeout),
      });
      return { event: { ...event } };
    },
  }),
  awaitAck: route({
    method: 'GET',
    path: '/wait/acked',
    tag: 'Events',
    summary: 'Wait until a push is acknowledged, or say why it is not',
    description:
      'Of every connected client, or of the nodes named. 409 with code `push.nacked` has the words of the client, `wait.timed-out` what is missing and why: not requested, withheld, sent and unanswered, held back while clusters warm.',
    library: 'istiod.push(version).acked(options)',
    ctl: ['wait acked'],
    params: {},
    query: {
      version: v.optional(described(text, 'The version that a publish answered with; left out: the newest push')),
      node: nodePattern,
      type: v.optional(described(listOf(text, 'types'), 'Types whose acknowledgement is enough; left out: all published')),
      timeout: timeoutQuery,
    },
    answer: v.strictObject({ acked: v.literal(true), version: v.string(), types: v.array(v.string()) }),
    errors: [404, 409],
    async handle({ query: { version, node, type, timeout } }, { istiod, signal }) {
      for (const word of type ?? []) typeUrlIn('query', 'type', word);
      const push = istiod.push(version);
      await beforeLeaving(
        signal,
        push.acked({ ...(node === undefined ? {} : { node }), ...(type ? { types: type } : {}), ...timeoutOf(timeout) }),
      );
      return { acked: true as const, version: push.version, types: [...push.typeUrls] };
    },
  }),
};

/** A caller that has gone away waits for nothing any more; the wait itself ends by its own time. */
function beforeLeaving(signal: AbortSignal, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new FakeIstiodError('istiod.stopped', 'the caller went away'));
    signal.addEventListener('abort', gone, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', gone));
  });
}
