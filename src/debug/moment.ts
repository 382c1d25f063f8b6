import type { DebuggedIstiod } from './face.ts';

/** Go's zero time: what never happened. */
export const neverText = '0001-01-01T00:00:00Z';

/** RFC 3339 of a time of the timeline. */
export function momentText({ startedAt }: Pick<DebuggedIstiod, 'startedAt'>, atMs: number): string {
  return new Date(startedAt.getTime() + atMs).toISOString();
}

/** When each stream was last sent something of each type, in milliseconds of the timeline; as far as that goes back. */
export class SendTimes {
  private readonly times = new Map<string, number>();

  constructor({ timeline }: Pick<DebuggedIstiod, 'timeline'>) {
    for (const event of timeline.events)
      if (event.event === 'response.sent') this.times.set(`${event.stream} ${event.typeUrl}`, event.atMs);
  }

  lastMs(stream: number, typeUrl: string): number | undefined {
    return this.times.get(`${stream} ${typeUrl}`);
  }
}
