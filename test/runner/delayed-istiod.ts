import { setTimeout as after } from 'node:timers/promises';
import type { TimelineEvent } from '../../src/events.ts';
import type { FakeIstiod, Node } from '../../src/index.ts';
import type { RemoteIstiod } from '../../src/runner/remote-istiod.ts';

/** An istiod of this process as one behind a wire: each event and each answer comes so many milliseconds late. */
export function delayedIstiod(istiod: FakeIstiod, lateMs: number): RemoteIstiod {
  return {
    xdsAddress: `${istiod.host}:${istiod.port}`,
    async look() {
      await after(lateMs / 2);
      const look = { nowMs: istiod.timeline.nowMs, newestSeq: istiod.timeline.last(1)[0]?.seq ?? 0, neverFired: istiod.neverFired };
      await after(lateMs / 2);
      return look;
    },
    async *events(fromSeq, signal) {
      const queue: TimelineEvent[] = istiod.timeline.events.filter(({ seq }) => seq >= fromSeq);
      let wake = (): void => undefined;
      const unsubscribe = istiod.on((event) => void after(lateMs).then(() => (queue.push(event), wake())));
      signal.addEventListener('abort', () => wake());
      try {
        while (!signal.aborted) {
          const event = queue.shift();
          if (event) yield event;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        unsubscribe();
      }
    },
    report: async (event) => (await after(lateMs), istiod.report(event)),
    mark: async (moment) => (await after(lateMs), istiod.mark(moment)),
    nodesByStream: () =>
      Promise.resolve(new Map<unknown, Node>(istiod.sessions.flatMap(({ state }) => (state.node ? [[state.stream, state.node]] : [])))),
  };
}
