import type { ControlClient } from '../control/control-client.ts';
import type { Event, TimelineEvent } from '../events.ts';
import type { Timeline } from '../index.ts';

/** How many events are kept of a fake istiod in a container. */
const capacity = 200_000;

/** The timeline of a fake istiod in another process, as its control API tells it. */
export class RemoteTimeline implements Timeline {
  readonly events: TimelineEvent[] = [];
  dropped = 0;
  private readonly listeners = new Set<(event: TimelineEvent) => void>();
  private readonly stopping = new AbortController();
  private followed: Promise<void> = Promise.resolve();
  private lastAt = { ms: 0, seenMs: performance.now() };

  /** Begins to follow; ends with the server, or with `stop`. */
  follow(client: ControlClient): void {
    this.followed = this.take(client).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.followed;
  }

  /** By the newest event and the time that has gone by since. */
  get nowMs(): number {
    return this.lastAt.ms + (performance.now() - this.lastAt.seenMs);
  }

  /** @throws always: what happens there is recorded there; `report` sends an event. */
  record(_event: Event): never {
    throw new TypeError('the timeline of another process is recorded there');
  }

  subscribe(listener: (event: TimelineEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  last(count: number): readonly TimelineEvent[] {
    return count > 0 ? this.events.slice(-count) : [];
  }

  private async take(client: ControlClient): Promise<void> {
    for await (const event of client.events({}, { signal: this.stopping.signal })) {
      if (this.events.length >= capacity) this.dropped += this.events.splice(0, capacity / 10).length;
      this.events.push(event);
      this.lastAt = { ms: event.atMs, seenMs: performance.now() };
      for (const listener of [...this.listeners]) listener(event);
    }
  }
}
