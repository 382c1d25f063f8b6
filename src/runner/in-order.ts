import type { TimelineEvent } from '../events.ts';

export interface InOrderOptions {
  /** Told the events, in their order. */
  readonly tell: (event: TimelineEvent) => void;
  /** Called when something waits that no event known so far lies behind: `confirm` has to be called once more is known. */
  readonly onWaiting: () => void;
}

/**
 * Events that come over a wire, and what was seen of Envoy meanwhile, put into one order by time. An event is told when nothing seen
 * before it waits; what was seen waits until no earlier event can come any more. Pure.
 */
export class InOrder {
  private readonly options: InOrderOptions;
  private readonly events: TimelineEvent[] = [];
  private readonly acts: { readonly atMs: number; readonly act: () => void }[] = [];
  /** All events up to this instant have come. */
  private confirmedMs = -Infinity;
  private working = false;

  constructor(options: InOrderOptions) {
    this.options = options;
  }

  /** The next event of the timeline. All before it have come. */
  event(event: TimelineEvent): void {
    this.events.push(event);
    this.work();
  }

  /** Acts between the events up to `atMs` and those after it. */
  at(atMs: number, act: () => void): void {
    const before = this.acts.findLastIndex((one) => one.atMs <= atMs);
    this.acts.splice(before + 1, 0, { atMs, act });
    this.work();
  }

  /** All events up to `atMs` have come. */
  confirm(atMs: number): void {
    this.confirmedMs = Math.max(this.confirmedMs, atMs);
    this.work();
  }

  /** True if something seen waits for the events of before it. */
  get waiting(): boolean {
    return this.acts.length > 0;
  }

  private work(): void {
    // What is told may have more put in; it gets its turn in the loop that runs already.
    if (this.working) return;
    this.working = true;
    try {
      while (this.step());
    } finally {
      this.working = false;
    }
    if (this.waiting) this.options.onWaiting();
  }

  /** Tells what is next; false if nothing is, or if it is not certain yet. */
  private step(): boolean {
    const [event] = this.events;
    const [act] = this.acts;
    if (event && (!act || event.atMs <= act.atMs)) {
      this.events.shift();
      this.options.tell(event);
      return true;
    }
    // An event that came after it lies behind it as well as any word of the server.
    if (!act || (!event && this.confirmedMs < act.atMs)) return false;
    this.acts.shift();
    act.act();
    return true;
  }
}
