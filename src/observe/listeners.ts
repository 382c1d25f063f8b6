import type { TimelineEvent } from '../events.ts';

type Hear = (event: TimelineEvent) => void;

interface Listener {
  readonly hear: Hear;
  readonly isAwake: () => boolean;
}

/** Those who hear of events, each in the order of the events. */
export class Listeners {
  /** Made anew when one comes or goes, so that telling need not copy it. */
  private all: readonly Listener[] = [];
  private readonly untold: TimelineEvent[] = [];
  private telling = false;
  private readonly onError: (error: unknown) => void;

  /** `onError` is told what a listener threw. */
  constructor(onError: (error: unknown) => void) {
    this.onError = onError;
  }

  /** True if somebody would hear an event now. */
  get areAwake(): boolean {
    return this.all.some(({ isAwake }) => isAwake());
  }

  add(hear: Hear, isAwake: () => boolean): () => void {
    if (!this.all.some((other) => other.hear === hear)) this.all = [...this.all, { hear, isAwake }];
    return () => void (this.all = this.all.filter((other) => other.hear !== hear));
  }

  /** Tells an event; while another one is told, afterwards. */
  tell(event: TimelineEvent): void {
    if (this.all.length === 0) return;
    this.untold.push(event);
    if (this.telling) return;
    this.telling = true;
    for (let next = this.untold.shift(); next; next = this.untold.shift()) this.tellAll(next);
    this.telling = false;
  }

  private tellAll(event: TimelineEvent): void {
    for (const { hear, isAwake } of this.all) {
      try {
        if (isAwake()) hear(event);
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
