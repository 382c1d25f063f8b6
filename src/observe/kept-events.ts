import type { TimelineEvent } from '../events.ts';
import { EventBytes } from './event-bytes.ts';

/** The newest events, as many as there is room for. */
export class KeptEvents {
  /** Oldest first. */
  readonly list: TimelineEvent[] = [];
  /** How many of the oldest are no longer kept. */
  dropped = 0;
  private readonly bytes = new EventBytes();
  private readonly capacity: number;
  private readonly maxBytes: number;

  /** `maxBytes`: what the long lists and texts in events may take, but for the newest. */
  constructor(capacity: number, maxBytes: number) {
    this.capacity = capacity;
    this.maxBytes = maxBytes;
  }

  /** Drops the oldest if there is no room for one more. One at a time would move the whole list for each event; a tenth at a time is cheap. */
  makeRoom(): void {
    const { list, bytes } = this;
    while (list.length > 0 && (list.length >= this.capacity || bytes.total > this.maxBytes)) {
      const gone = list.splice(0, Math.max(1, Math.floor(list.length / 10)));
      for (const event of gone) bytes.remove(event);
      this.dropped += gone.length;
    }
  }

  push(event: TimelineEvent): void {
    this.list.push(event);
    this.bytes.add(event);
  }
}
