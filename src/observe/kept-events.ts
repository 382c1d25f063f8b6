import type { Event, TimelineEvent } from '../events.ts';
import type { Whose } from '../protocol/protocol-event.ts';
import { EventBytes } from './event-bytes.ts';

/** What a timeline sets in an event. */
interface Stamp {
  stream: number;
  node: string;
  seq: number;
  atMs: number;
}

/**
 * `event` as it stands in a timeline. `whose`: where the event itself may name another stream.
 *
 * @note What it has already is only overwritten: to add a property to a copy takes twenty times as long as the copy.
 */
export function recorded(event: Event, whose: Whose | undefined, seq: number, atMs: number): TimelineEvent {
  const made: { -readonly [K in keyof Event]: Event[K] } & Partial<Stamp> = { ...event };
  if (whose) made.stream = whose.stream;
  if (whose?.node !== undefined) made.node = whose.node;
  made.seq = seq;
  made.atMs = atMs;
  return made as TimelineEvent;
}

/**
 * The newest events, as many as there is room for.
 *
 * Each push causes three for each stream, which mostly nobody ever looks at. So those that nobody hears are made when somebody looks; till then it
 * is enough to know what they are copies of. Once somebody has looked, he may go on looking, and they are made at once.
 */
export class KeptEvents {
  /** How many of the oldest are no longer kept. */
  dropped = 0;
  private readonly made: TimelineEvent[] = [];
  private isLookedAt = false;
  /** Those behind `made`, side by side. */
  private events: Event[] = [];
  private whose: (Whose | undefined)[] = [];
  private times: number[] = [];
  private readonly bytes = new EventBytes();
  private readonly capacity: number;
  private readonly maxBytes: number;

  /** `maxBytes`: what the long lists and texts in events may take, but for the newest. */
  constructor(capacity: number, maxBytes: number) {
    this.capacity = capacity;
    this.maxBytes = maxBytes;
  }

  /** Oldest first; one list that grows. */
  get list(): readonly TimelineEvent[] {
    this.isLookedAt = true;
    this.makeAll();
    return this.made;
  }

  /** The newest, oldest first, for who will not go on looking. */
  last(count: number): readonly TimelineEvent[] {
    this.makeAll();
    return count > 0 ? this.made.slice(-count) : [];
  }

  /** Drops the oldest if there is no room for one more. One at a time would move the whole list for each event; a tenth at a time is cheap. */
  makeRoom(): void {
    const { bytes } = this;
    for (let size = this.size; size > 0 && (size >= this.capacity || bytes.total > this.maxBytes); size = this.size) {
      const count = Math.max(1, Math.floor(size / 10));
      for (const event of this.takeOldest(count)) bytes.remove(event);
      this.dropped += count;
    }
  }

  /** One that somebody hears of. */
  push(event: TimelineEvent): void {
    this.makeAll();
    this.made.push(event);
    this.bytes.add(event);
  }

  /** One that nobody hears of. False if it is to be made all the same. */
  pushUnmade(event: Event, whose: Whose | undefined, atMs: number): boolean {
    if (this.isLookedAt) return false;
    this.events.push(event);
    this.whose.push(whose);
    this.times.push(atMs);
    this.bytes.add(event);
    return true;
  }

  private get size(): number {
    return this.made.length + this.events.length;
  }

  private takeOldest(count: number): readonly Event[] {
    const made = this.made.splice(0, count);
    const rest = count - made.length;
    if (rest === 0) return made;
    const unmade = this.events.slice(0, rest);
    this.events = this.events.slice(rest);
    this.whose = this.whose.slice(rest);
    this.times = this.times.slice(rest);
    return [...made, ...unmade];
  }

  private makeAll(): void {
    const { events, whose, times } = this;
    if (events.length === 0) return;
    // Events count from 1, and none is left out.
    const before = this.dropped + this.made.length + 1;
    for (const [place, event] of events.entries()) this.made.push(recorded(event, whose[place], before + place, times[place] as number));
    [this.events, this.whose, this.times] = [[], [], []];
  }
}
