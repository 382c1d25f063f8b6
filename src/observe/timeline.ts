import type { Clock } from '../clock.ts';
import type { Event, TimelineEvent } from '../events.ts';
import type { Whose } from '../protocol/protocol-event.ts';
import { Listeners } from './listeners.ts';
import { KeptEvents, recorded } from './kept-events.ts';

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

/** A timeline at its source. */
export interface SourceTimeline extends Timeline {
  /**
   * As `record`, for who only has to know the event's `seq`: nothing is made that nobody looks at. `whose` takes the place of the stream and node
   * that the event itself names.
   */
  note(event: Event, whose?: Whose): number;
  /** `isAwake`: false as long as the listener would do nothing with what it is told. Default: it always is. */
  subscribe(listener: (event: TimelineEvent) => void, isAwake?: () => boolean): () => void;
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
): SourceTimeline {
  const startMs = clock.now();
  const kept = new KeptEvents(capacity, maxBytes);
  const listeners = new Listeners(onListenerError);
  let seq = 0;
  // Microseconds are enough, and read well.
  const nowMs = (): number => Math.round((clock.now() - startMs) * 1_000) / 1_000;

  const keep = (event: TimelineEvent): TimelineEvent => {
    kept.push(event);
    listeners.tell(event);
    return event;
  };

  return {
    get events() {
      return kept.list;
    },
    get dropped() {
      return kept.dropped;
    },
    get nowMs() {
      return nowMs();
    },
    record(event) {
      kept.makeRoom();
      return keep(recorded(event, undefined, ++seq, nowMs()));
    },
    note(event, whose) {
      kept.makeRoom();
      const own = ++seq;
      const atMs = nowMs();
      if (listeners.areAwake || !kept.pushUnmade(event, whose, atMs)) keep(recorded(event, whose, own, atMs));
      return own;
    },
    subscribe: (listener, isAwake = () => true) => listeners.add(listener, isAwake),
    last: (count) => kept.last(count),
  };
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
