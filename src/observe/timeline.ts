import type { Clock } from '../clock.ts';
import type { Event, TimelineEvent } from '../events.ts';

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
   * events in the order of `seq`.
   */
  record(event: Event): TimelineEvent;
  /**
   * Tells `listener` every event from now on; the returned function ends that. A listener that throws harms nobody else; what it throws
   * becomes an uncaught exception, as with an EventTarget, so that an assertion in it cannot fail unseen.
   */
  subscribe(listener: (event: TimelineEvent) => void): () => void;
  /** The newest `count` events, oldest first. */
  last(count: number): readonly TimelineEvent[];
}

export interface TimelineOptions {
  /** How many events are kept; default 200 000. */
  readonly capacity?: number;
  /** Told what a listener threw; default: thrown once more, where nobody catches it. */
  readonly onListenerError?: (error: unknown) => void;
}

/** An empty timeline that begins now. */
export function createTimeline(clock: Clock, { capacity = 200_000, onListenerError = throwUncaught }: TimelineOptions = {}): Timeline {
  const startMs = clock.now();
  const events: TimelineEvent[] = [];
  /** Made anew when one comes or goes, so that telling need not copy it. */
  let listeners: readonly ((event: TimelineEvent) => void)[] = [];
  const untold: TimelineEvent[] = [];
  let seq = 0;
  let dropped = 0;
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
  // Dropping one at a time would move the whole array for each event; a tenth at a time is cheap.
  const makeRoom = (): void => {
    if (events.length < capacity) return;
    dropped += events.splice(0, Math.max(1, Math.floor(capacity / 10))).length;
  };

  return {
    events,
    get dropped() {
      return dropped;
    },
    get nowMs() {
      return nowMs();
    },
    record(event) {
      makeRoom();
      seq += 1;
      const recorded = { ...event, seq, atMs: nowMs() } as TimelineEvent;
      events.push(recorded);
      untold.push(recorded);
      tellAll();
      return recorded;
    },
    subscribe(listener) {
      if (!listeners.includes(listener)) listeners = [...listeners, listener];
      return () => void (listeners = listeners.filter((other) => other !== listener));
    },
    last: (count) => (count > 0 ? events.slice(-count) : []),
  };
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
