import { describe, expect, it } from 'vitest';
import type { TimelineEvent } from '../../src/events.ts';
import { createTimeline } from '../../src/observe/timeline.ts';
import { manualClock } from '../clock.ts';
import { made } from './events.ts';

describe('Events that nobody hears', () => {
  it('are what they would have been, once somebody looks', () => {
    const clock = manualClock();
    const [lazy, eager] = [createTimeline(clock), createTimeline(clock)];
    eager.subscribe(() => undefined);
    for (const timeline of [lazy, eager]) expect(timeline.note(made.request('CDS'))).toBe(1);
    clock.advance(5);
    for (const timeline of [lazy, eager]) expect(timeline.note(made.sent('CDS'), { stream: 7, node: 'sidecar~7' })).toBe(2);
    clock.advance(5);
    for (const timeline of [lazy, eager]) timeline.record(made.acked('CDS'));
    for (const timeline of [lazy, eager]) expect(timeline.note(made.request('LDS'), { stream: 8 })).toBe(4);
    expect(lazy.events).toEqual(eager.events);
    expect(lazy.events[1]).toMatchObject({ stream: 7, node: 'sidecar~7', seq: 2, atMs: 5 });
  });

  it('are copied: the event that many streams share stays as it is', () => {
    const timeline = createTimeline(manualClock());
    const shared = made.sent('CDS');
    const before = structuredClone(shared);
    for (const stream of [1, 2]) timeline.note(shared, { stream, node: `sidecar~${stream}` });
    expect(timeline.events.map((event) => 'stream' in event && event.stream)).toEqual([1, 2]);
    expect(shared).toEqual(before);
  });

  it('are in one list that grows under the eyes of who has looked', () => {
    const timeline = createTimeline(manualClock());
    timeline.note(made.request('CDS'));
    const { events } = timeline;
    timeline.note(made.request('LDS'));
    timeline.note(made.request('RDS'));
    expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(timeline.events).toBe(events);
  });

  it('come in their order with those that somebody hears', () => {
    const timeline = createTimeline(manualClock());
    const heard: TimelineEvent[] = [];
    timeline.note(made.request('CDS'));
    const unsubscribe = timeline.subscribe((event) => heard.push(event));
    timeline.note(made.sent('CDS'));
    unsubscribe();
    timeline.note(made.acked('CDS'));
    expect(heard.map(({ seq }) => seq)).toEqual([2]);
    expect(timeline.last(2).map(({ event }) => event)).toEqual(['response.sent', 'response.acked']);
    timeline.note(made.request('LDS'));
    expect(timeline.events.map(({ seq, event }) => `${seq} ${event}`)).toEqual([
      '1 request.received',
      '2 response.sent',
      '3 response.acked',
      '4 request.received',
    ]);
  });

  it.each([0, 7, 15])('are dropped like others once it is full, %i of them made before', (heard) => {
    const timeline = createTimeline(manualClock(), { capacity: 20 });
    for (let count = 0; count < 25; count++) {
      const whose = { stream: count + 1 };
      const unsubscribe = timeline.subscribe(
        () => undefined,
        () => count < heard,
      );
      timeline.note(made.request('CDS'), whose);
      unsubscribe();
    }
    expect(timeline.dropped).toBe(6);
    const numbers = timeline.events.map((event) => [event.seq, 'stream' in event && event.stream]);
    expect(numbers).toEqual(Array.from({ length: 19 }, (_, place) => [place + 7, place + 7]));
  });

  it('take as many bytes as others', () => {
    const timeline = createTimeline(manualClock(), { maxBytes: 100_000 });
    for (let round = 0; round < 50; round++) {
      const names = Array.from({ length: 100 }, (_, i) => `${round}-${i}`.padEnd(76, 'x'));
      timeline.note(made.request('CDS', 'initial', names));
    }
    expect(timeline.events.length).toBeGreaterThanOrEqual(9);
    expect(timeline.events.length).toBeLessThanOrEqual(11);
    expect(timeline.events.at(-1)?.seq).toBe(50);
  });
});

describe('A listener that sleeps', () => {
  it('is told nothing until it is awake', () => {
    const timeline = createTimeline(manualClock());
    const heard: number[] = [];
    let isAwake = false;
    timeline.subscribe(
      ({ seq }) => heard.push(seq),
      () => isAwake,
    );
    timeline.note(made.request('CDS'));
    timeline.record(made.request('CDS'));
    isAwake = true;
    timeline.note(made.request('CDS'));
    expect(heard).toEqual([3]);
  });
});
