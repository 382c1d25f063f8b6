import type { Clock } from '../clock.ts';
import type { TimelineEvent } from '../events.ts';
import type { Timeline } from '../observe/timeline.ts';
import { endBlock, eventBlock, heartbeatBlock, missedBlock, openingBlock } from './event-text.ts';

/** Every so often a reader that has nothing to read is told that somebody is there. */
export const heartbeatMs = 15_000;

/** A reader takes no more than this at once, in characters: all that is ever kept for it. */
const chunkLength = 64 * 1024;

/** So many events are looked at before others have their turn. */
const lookedAtOnce = 20_000;

/** Which events a reader wants, and from where on. */
export interface FeedRequest {
  /** The `seq` of the first event that counts. */
  readonly from: number;
  matches(event: TimelineEvent): boolean;
}

/**
 * The timeline as server-sent events, for any number of readers. None has a queue: each has a place in the timeline, and reads on from there
 * as fast as it takes it. One so slow that the timeline has moved on is told how many events it missed.
 */
export class EventFeed {
  private readonly timeline: Timeline;
  private readonly idle = new Set<() => void>();
  private readonly unsubscribe: () => void;
  private beating = false;
  private callOff: () => void = () => undefined;
  private scheduled = false;
  private ended: string | undefined;
  private readonly clock: Clock;
  /** How many readers there are. */
  readers = 0;

  constructor(timeline: Timeline, clock: Clock) {
    this.timeline = timeline;
    this.clock = clock;
    this.unsubscribe = timeline.subscribe(() => this.wakeSoon());
  }

  /** A stream of events that ends when its reader goes away, or with the server. */
  open(request: FeedRequest): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    const reader = this.newReader(request);
    let first = true;
    return new ReadableStream({
      pull: async (controller) => {
        const text = first ? openingBlock : await reader.next();
        first = false;
        if (text !== undefined) return controller.enqueue(encoder.encode(text));
        reader.close();
        controller.close();
      },
      cancel: () => reader.close(),
    });
  }

  /** Ends every stream, after a last word. */
  end(reason: string): void {
    if (this.ended !== undefined) return;
    this.ended = reason;
    this.unsubscribe();
    this.callOff();
    this.wake();
  }

  private newReader(request: FeedRequest): { next(): Promise<string | undefined>; close(): void } {
    this.readers += 1;
    this.beat();
    let gone = false;
    let place = request.from;
    let saidEnd = false;
    let wakeUp: () => void = () => undefined;
    const next = async (): Promise<string | undefined> => {
      while (!gone) {
        const { text, after, more } = this.read(place, request);
        place = after;
        if (text !== '') return text;
        if (more) await new Promise<void>((resolve) => setImmediate(resolve));
        else if (this.ended !== undefined) {
          if (saidEnd) return undefined;
          saidEnd = true;
          return endBlock(this.ended);
        } else if (await this.quiet((wake) => (wakeUp = wake))) return heartbeatBlock;
      }
      return undefined;
    };
    const close = (): void => {
      if (gone) return;
      gone = true;
      this.readers -= 1;
      if (this.readers === 0) this.stopBeating();
      this.idle.delete(wakeUp);
      wakeUp();
    };
    return { next, close };
  }

  /** The next events from `place` on, at most a chunk. */
  private read(place: number, { matches }: FeedRequest): { readonly text: string; readonly after: number; readonly more: boolean } {
    const { events } = this.timeline;
    const first = events[0]?.seq ?? place;
    let text = '';
    let at = Math.max(place, 1);
    if (first > at) {
      text = missedBlock(first - at);
      at = first;
    }
    const until = Math.min(events.length, at - first + lookedAtOnce);
    for (let index = at - first; index < until && text.length < chunkLength; index += 1, at += 1) {
      const event = events[index];
      if (event && matches(event)) text += eventBlock(event);
    }
    return { text, after: at, more: at - first < events.length };
  }

  /** Resolves when there may be something to read (false), or a heartbeat is due (true). */
  private quiet(note: (wake: () => void) => void): Promise<boolean> {
    return new Promise((resolve) => {
      const wake = (): void => resolve(this.beating);
      note(wake);
      this.idle.add(wake);
    });
  }

  /** Recording an event costs no more than this, however many read. */
  private wakeSoon(): void {
    if (this.scheduled || this.idle.size === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      this.wake();
    });
  }

  private wake(): void {
    const woken = [...this.idle];
    this.idle.clear();
    for (const wake of woken) wake();
  }

  /** One timer for all readers, as long as there are any. */
  private beat(): void {
    if (this.readers !== 1 || this.ended !== undefined) return;
    const again = (): void => {
      this.callOff = this.clock.after(heartbeatMs, () => {
        this.beating = true;
        this.wake();
        this.beating = false;
        again();
      });
    };
    again();
  }

  private stopBeating(): void {
    this.callOff();
    this.callOff = () => undefined;
  }
}
