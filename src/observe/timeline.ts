import type { Clock } from '../clock.ts';
import type { Event, TimelineEvent } from '../events.ts';
import { KeptEvents } from './kept-events.ts';

/** The ordered record of what happened. */
export interface Timeline {
  /** Oldest first; grows. Once it is full the oldest are dropped, and `dropped` counts them. */
  readonly events: readonly TimelineEvent[];
  /** How many of the oldest events are no longer kept. */
  readonly dropped: number;
  /** Milliseconds since the timeline began: what an event recorded now would bear as `atMs`. */
  readonly nowMs: number;
  /**
   * Adds an event and tells all listeners. A listener may record too: its event is told after the one at hand, so that every listener hears
   * events in the order of `seq`. `whose` takes the place of the stream and node that the event itself names.
   */
  record(event: Event, whose?: Whose): TimelineEvent;
  /**
   * Tells `listener` every event from now on; the returned function ends that. A listener that throws harms nobody else; what it throws
   * becomes an uncaught exception, as with an EventTarget, so that an assertion in it cannot fail unseen.
   */
  subscribe(listener: (event: TimelineEvent) => void): () => void;
  /** The newest `count` events, oldest first. */
  last(count: number): readonly TimelineEvent[];
}

/** The stream that an event is about. */
interface Whose {
  readonly stream: number;
  readonly node?: string;
}

/** What a timeline sets in an event. */
interface Unfinished {
  stream: number;
  node: string;
  seq: number;
  atMs: number;
}

export interface TimelineOptions {
  /** How many events are kept; default 200 000. */
  readonly capacity?: number;
  /** How many bytes the long lists and texts in them take (`EventBytes`), but for the newest event; default 64 MiB. */
  readonly maxBytes?: number;
  /** Told what a listener threw; default: thrown once more, where nobody catches it. */
  readonly onListenerError?: (error: unknown) => void;
}

/** An empty timeline that begins now. */
export function createTimeline(
  clock: Clock,
  { capacity = 200_000, maxBytes = 64 * 1024 * 1024, onListenerError = throwUncaught }: TimelineOptions = {},
): Timeline {
  const startMs = clock.now();
  const kept = new KeptEvents(capacity, maxBytes);
  /** Made anew when one comes or goes, so that telling need not copy it. */
  let listeners: readonly ((event: TimelineEvent) => void)[] = [];
  const untold: TimelineEvent[] = [];
  let seq = 0;
  let telling = false;
  // Microseconds are enough, and read well.
  const nowMs = (): number => Math.round((clock.now() - startMs) * 1_000) / 1_000;

  const tell = (event: TimelineEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        onListenerError(error);
      }
    }
  };
  const tellAll = (): void => {
    if (telling) return;
    telling = true;
    for (let event = untold.shift(); event; event = untold.shift()) tell(event);
    telling = false;
  };

  return {
    events: kept.list,
    get dropped() {
      return kept.dropped;
    },
    get nowMs() {
      return nowMs();
    },
    record(event, whose) {
      kept.makeRoom();
      seq += 1;
      // What the event has already is only overwritten: to add a property to a copy takes twenty times as long as the copy.
      const recorded: { -readonly [K in keyof Event]: Event[K] } & Partial<Unfinished> = { ...event };
      if (whose) recorded.stream = whose.stream;
      if (whose?.node !== undefined) recorded.node = whose.node;
      recorded.seq = seq;
      recorded.atMs = nowMs();
      kept.push(recorded as TimelineEvent);
      if (listeners.length > 0) {
        untold.push(recorded as TimelineEvent);
        tellAll();
      }
      return recorded as TimelineEvent;
    },
    subscribe(listener) {
      if (!listeners.includes(listener)) listeners = [...listeners, listener];
      return () => void (listeners = listeners.filter((other) => other !== listener));
    },
    last: (count) => (count > 0 ? kept.list.slice(-count) : []),
  };
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
