import { describe, expect, it } from 'vitest';
import type { Event, TimelineEvent } from '../../src/events.ts';
import { createTimeline } from '../../src/observe/timeline.ts';
import { manualClock } from '../clock.ts';
import { made } from './events.ts';

describe('the timeline', () => {
  it('counts events from 1 and tells when each happened since it began', () => {
    const clock = manualClock();
    clock.advance(500);
    const timeline = createTimeline(clock);
    timeline.record(made.request('CDS'));
    clock.advance(12.3456);
    const second = timeline.record(made.sent('CDS'));
    expect(second).toMatchObject({ seq: 2, atMs: 12.346, event: 'response.sent' });
    expect(timeline.events.map(({ seq, atMs }) => [seq, atMs])).toEqual([
      [1, 0],
      [2, 12.346],
    ]);
  });

  it('tells every listener the events in their order, also those that a listener records', () => {
    const timeline = createTimeline(manualClock());
    const heard: string[] = [];
    timeline.subscribe((event) => {
      if (event.event === 'request.received') timeline.record(made.sent('CDS'));
      if (event.event === 'response.sent') timeline.record(made.acked('CDS'));
    });
    timeline.subscribe((event) => heard.push(`${event.seq} ${event.event}`));
    timeline.record(made.request('CDS'));
    expect(heard).toEqual(['1 request.received', '2 response.sent', '3 response.acked']);
  });

  it('lets no listener that throws harm the others', () => {
    const errors: unknown[] = [];
    const timeline = createTimeline(manualClock(), { onListenerError: (error) => errors.push(error) });
    const heard: TimelineEvent[] = [];
    timeline.subscribe(() => {
      throw new Error('broken listener');
    });
    timeline.subscribe((event) => heard.push(event));
    timeline.record(made.request('CDS'));
    timeline.record(made.request('LDS'));
    expect(heard).toHaveLength(2);
    expect(errors.map(String)).toEqual(['Error: broken listener', 'Error: broken listener']);
  });

  it('makes what a listener throws an uncaught exception where nobody asked to be told', async () => {
    const uncaught = new Promise<unknown>((resolve) => process.setUncaughtExceptionCaptureCallback(resolve));
    try {
      const timeline = createTimeline(manualClock());
      timeline.subscribe(() => {
        throw new Error('an assertion in a listener');
      });
      timeline.record(made.request('CDS'));
      expect(String(await uncaught)).toBe('Error: an assertion in a listener');
    } finally {
      process.setUncaughtExceptionCaptureCallback(null);
    }
  });

  it('tells a listener that unsubscribed nothing more', () => {
    const timeline = createTimeline(manualClock());
    let heard = 0;
    const unsubscribe = timeline.subscribe(() => (heard += 1));
    timeline.record(made.request('CDS'));
    unsubscribe();
    timeline.record(made.request('CDS'));
    expect(heard).toBe(1);
  });

  it('drops the oldest once it is full, says how many, and goes on counting', () => {
    const timeline = createTimeline(manualClock(), { capacity: 20 });
    for (let i = 0; i < 25; i++) timeline.record(made.request('CDS'));
    expect(timeline.events.length).toBeLessThanOrEqual(20);
    expect(timeline.dropped + timeline.events.length).toBe(25);
    expect(timeline.events.at(-1)?.seq).toBe(25);
    expect(timeline.events[0]?.seq).toBe(timeline.dropped + 1);
  });

  it('drops the oldest once long names take too much, and keeps the newest event whatever it takes', () => {
    const timeline = createTimeline(manualClock(), { maxBytes: 100_000 });
    // Each 100 names of 76 characters, which count as 10 000 bytes.
    const names = (round: number): readonly string[] => Array.from({ length: 100 }, (_, i) => `${round}-${i}`.padEnd(76, 'x'));
    for (let round = 0; round < 50; round++) timeline.record(made.request('CDS', 'initial', names(round)));
    expect(timeline.events.length).toBeGreaterThanOrEqual(9);
    expect(timeline.events.length).toBeLessThanOrEqual(11);
    expect(timeline.dropped + timeline.events.length).toBe(50);
    timeline.record(made.nacked('CDS', 'x'.repeat(1_000_000)));
    timeline.record(made.request('CDS'));
    expect(timeline.events.map(({ seq }) => seq)).toEqual([52]);
    expect(timeline.dropped).toBe(51);
  });

  it('counts a list that many events share once, and what was dropped no longer', () => {
    const timeline = createTimeline(manualClock(), { maxBytes: 25_000 });
    for (let push = 0; push < 100; push++) {
      const names = Array.from({ length: 100 }, (_, i) => `${push}-${i}`.padEnd(76, 'x'));
      for (let stream = 0; stream < 10; stream++) timeline.record(made.sent('CDS', names));
    }
    expect(timeline.events.length).toBeGreaterThan(15);
    expect(timeline.events.length).toBeLessThanOrEqual(31);
    expect(timeline.dropped + timeline.events.length).toBe(1000);
  });

  const long = 'x'.repeat(10_000);
  const asked = made.request('CDS') as Extract<Event, { event: 'request.received' }>;
  it.each<Event>([{ ...asked, nonce: long }, { ...asked, typeUrl: long }, made.nacked('CDS', long)])(
    'counts what a client made up: $event',
    (event) => {
      const timeline = createTimeline(manualClock(), { maxBytes: 50_000 });
      for (let i = 0; i < 100; i++) timeline.record(event);
      expect(timeline.events.length).toBeLessThanOrEqual(6);
    },
  );

  it('gives the newest events, oldest first', () => {
    const timeline = createTimeline(manualClock());
    for (let i = 0; i < 5; i++) timeline.record(made.request('CDS'));
    expect(timeline.last(2).map(({ seq }) => seq)).toEqual([4, 5]);
    expect(timeline.last(0)).toEqual([]);
    expect(timeline.last(99)).toHaveLength(5);
  });
});
