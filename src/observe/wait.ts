import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { Event, EventName, TimelineEvent } from '../events.ts';
import { matchesQuery, nearestEvent, queryText } from './event-query.ts';
import type { EventQuery, QueryByEvent, QueryByType } from './event-query.ts';
import { eventText } from './event-text.ts';
import { durationText } from '../script/duration.ts';
import type { Timeline } from './timeline.ts';

export interface WaitOptions {
  /** Default 10 000 ms. */
  readonly timeoutMs?: number;
  /** Only events after the one of this `seq` count. Default: every event of the timeline, also those of before the call. */
  readonly since?: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Ends the wait at once with its reason. */
  readonly signal?: AbortSignal;
  /** What is awaited, in English, for a predicate that cannot say so itself. */
  readonly what?: string;
  /** Adds to the error what else is known when the time is over, e.g. why an ACK cannot come. */
  readonly hint?: () => string | undefined;
}

/** An event by its name and fields, or by a test of one's own. */
export type EventMatch = EventQuery | ((event: TimelineEvent) => boolean);

/** The event of that name, as it stands in the timeline. */
export type EventNamed<N extends EventName> = TimelineEvent<Extract<Event, { event: N }>>;

/** `waitFor` on a timeline of its own. */
export interface WaitFor {
  <N extends EventName>(awaited: QueryByEvent<N>, options?: WaitOptions): Promise<EventNamed<N>>;
  <N extends EventName>(awaited: QueryByType<N>, options?: WaitOptions): Promise<EventNamed<N>>;
  (awaited: EventMatch, options?: WaitOptions): Promise<TimelineEvent>;
}

/**
 * Waits for the first matching event; one that the timeline already holds counts, unless `since` says otherwise. Error `wait.timed-out`
 * says what was awaited, how long, the nearest event and how it differs, and the last ten events.
 */
export function waitFor<N extends EventName>(timeline: Timeline, pattern: QueryByEvent<N>, options?: WaitOptions): Promise<EventNamed<N>>;
export function waitFor<N extends EventName>(timeline: Timeline, pattern: QueryByType<N>, options?: WaitOptions): Promise<EventNamed<N>>;
export function waitFor(timeline: Timeline, pattern: EventMatch, options?: WaitOptions): Promise<TimelineEvent>;
export function waitFor(timeline: Timeline, pattern: EventMatch, options: WaitOptions = {}): Promise<TimelineEvent> {
  const { timeoutMs = 10_000, since = 0, clock = systemClock, signal } = options;
  const matches = typeof pattern === 'function' ? pattern : (event: TimelineEvent): boolean => matchesQuery(pattern, event);
  const counts = (event: TimelineEvent): boolean => event.seq > since && matches(event);
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const known = timeline.events.find(counts);
    if (known) return resolve(known);
    const done = (): void => {
      unsubscribe();
      callOff();
      signal?.removeEventListener('abort', aborted);
    };
    const aborted = (): void => {
      done();
      reject(signal?.reason as Error);
    };
    const unsubscribe = timeline.subscribe((event) => {
      if (!safely(counts, event, fail)) return;
      done();
      resolve(event);
    });
    const callOff = clock.after(timeoutMs, () => {
      done();
      reject(timedOut(timeline, pattern, options, timeoutMs));
    });
    signal?.addEventListener('abort', aborted, { once: true });
    function fail(error: unknown): void {
      done();
      reject(error);
    }
  });
}

/** A predicate that throws fails the wait that it belongs to. */
function safely(counts: (event: TimelineEvent) => boolean, event: TimelineEvent, fail: (error: unknown) => void): boolean {
  try {
    return counts(event);
  } catch (error) {
    fail(error);
    return false;
  }
}

function timedOut(timeline: Timeline, pattern: EventMatch, { since = 0, what, hint }: WaitOptions, timeoutMs: number): FakeIstiodError {
  const query = typeof pattern === 'function' ? undefined : pattern;
  const awaited = what ?? (query ? queryText(query) : 'an event that the given test accepts');
  return new FakeIstiodError(
    'wait.timed-out',
    [`no ${awaited} came within ${durationText(timeoutMs)}`, hint?.(), nearestText(timeline, query, since), lastEventsText(timeline)]
      .filter(Boolean)
      .join('\n'),
  );
}

function nearestText(timeline: Timeline, query: EventQuery | undefined, since: number): string | undefined {
  if (!query) return undefined;
  const counted = timeline.events.filter((event) => event.seq > since);
  const nearest = nearestEvent(query, counted);
  if (nearest) return `nearest: ${eventText(nearest.event)}\n         ${nearest.difference}`;
  const earlier = nearestEvent(query, timeline.events);
  return earlier && earlier.difference === '' ? `one came earlier, which does not count here: ${eventText(earlier.event)}` : undefined;
}

/** The last ten events, a line each, under a heading; says so if there is none. */
export function lastEventsText(timeline: Timeline, count = 10): string {
  const last = timeline.last(count);
  return last.length === 0 ? 'nothing has happened yet' : ['last events:', ...last.map((event) => `  ${eventText(event)}`)].join('\n');
}
