/** Who is told that what is served changed. */
export interface Told {
  publish(): void;
}

/** For so long they are told at once: short enough that nobody else waits long for the event loop. */
const sliceMs = 20;
/** After so many it is looked what time it is. */
const atOnce = 32;

/**
 * Tells many streams that what is served changed: some at once, the rest turn by turn of the event loop. Each is served what is served when
 * its turn comes; so a publish while another one is under way makes up for that one, too.
 */
export class FanOut {
  private waiting: Set<Told> = new Set();
  private scheduled = false;
  private readonly onDone: () => void;
  private readonly nowMs: () => number;

  /**
   * `onDone` is called when the last of those who had to wait was told.
   * `nowMs`: how long the work takes; not an injected clock, which stands still meanwhile.
   */
  constructor(onDone: () => void = () => undefined, nowMs: () => number = () => performance.now()) {
    this.onDone = onDone;
    this.nowMs = nowMs;
  }

  /** Tells all of `those`; who waits since an earlier time comes first. */
  begin(those: readonly Told[]): void {
    for (const one of those) this.waiting.add(one);
    if (this.waiting.size > 0 && !this.scheduled) this.tellSome();
  }

  /** Tells all who still wait: what comes next is not to come between. */
  finish(): void {
    while (this.waiting.size > 0) this.tell(this.waiting.size);
  }

  private tellSome(): void {
    this.scheduled = false;
    const end = this.nowMs() + sliceMs;
    do this.tell(atOnce);
    while (this.waiting.size > 0 && this.nowMs() < end);
    if (this.waiting.size === 0 || this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.tellSome();
      if (this.waiting.size === 0) this.onDone();
    });
  }

  private tell(count: number): void {
    let left = count;
    for (const one of this.waiting) {
      if (left-- === 0) return;
      this.waiting.delete(one);
      one.publish();
    }
  }
}
