import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/events.ts';
import type { FrameFilter } from '../../src/observe/frame.ts';
import { createJournal } from '../../src/observe/journal.ts';
import { createTimeline } from '../../src/observe/timeline.ts';
import { manualClock } from '../clock.ts';
import { made } from './events.ts';

const refusals = new Map([[4, { code: 13, message: 'Error adding/updating listener(s) l1: no filter chain' }]]);
const facts = {
  sizeOf: (seq: number) => (seq === 2 ? 120 : undefined),
  errorDetailOf: (seq: number) => refusals.get(seq),
  bytesOf: (seq: number) => (seq === 2 ? Buffer.from('two') : undefined),
};

function journalOf(...events: readonly Event[]) {
  const clock = manualClock();
  const timeline = createTimeline(clock, { capacity: 10 });
  for (const event of events) {
    clock.advance(100);
    timeline.record(event);
  }
  return createJournal(timeline, facts);
}

const other = { ...made.request('CDS', 'ack', ['x']), node: 'router', stream: 2 } as Event;
const sample = (): readonly Event[] => [
  made.request('CDS'),
  made.sent('CDS', ['a', 'b']),
  { event: 'moment.marked', moment: 'm' },
  made.request('LDS', 'nack'),
  other,
];

describe('The journal', () => {
  it('holds every frame, and nothing else, with what is known of its message', () => {
    const journal = journalOf(...sample());
    expect(journal.frames().map(({ seq, direction, type }) => [seq, direction, type])).toEqual([
      [1, 'in', 'CDS'],
      [2, 'out', 'CDS'],
      [4, 'in', 'LDS'],
      [5, 'in', 'CDS'],
    ]);
    const [first, second, third] = journal.frames();
    expect(first).toMatchObject({ outcome: 'initial', names: [], removed: [], held: [], atMs: 100 });
    expect(first).not.toHaveProperty('size');
    expect(second).toMatchObject({ cause: 'reply', names: ['a', 'b'], size: 120, version: expect.any(String) as string });
    expect(third).toMatchObject({ errorDetail: refusals.get(4) });
    expect(Buffer.from(journal.message(2) ?? []).toString()).toBe('two');
    expect(journal.message(1)).toBeUndefined();
  });

  it.each<[FrameFilter, readonly number[]]>([
    [{ direction: 'in' }, [1, 4, 5]],
    [{ direction: 'out' }, [2]],
    [{ type: 'clusters' }, [1, 2, 5]],
    [{ type: 'type.googleapis.com/envoy.config.listener.v3.Listener' }, [4]],
    [{ outcome: 'ack' }, [5]],
    [{ cause: 'reply' }, [2]],
    [{ cause: 'push' }, []],
    [{ node: 'rou*' }, [5]],
    [{ stream: 2, variant: 'sotw' }, [5]],
    [{ variant: 'delta' }, []],
    [{ name: 'b' }, [2]],
    [{ name: '*' }, [2, 5]],
    [{ text: 'no filter chain' }, [4]],
    [{ since: 2 }, [4, 5]],
    [{ since: 2, type: 'CDS' }, [5]],
    [{ version: 'none' }, []],
    [{}, [1, 2, 4, 5]],
  ])('finds by %j', (filter, expected) => {
    const journal = journalOf(...sample());
    expect(journal.frames(filter).map(({ seq }) => seq)).toEqual(expected);
    expect(journal.count(filter)).toBe(expected.length);
  });

  it('gives the newest of many, oldest first', () => {
    expect(
      journalOf(...sample())
        .frames({ direction: 'in' }, 2)
        .map(({ seq }) => seq),
    ).toEqual([4, 5]);
  });

  it('goes back as far as the timeline does, and says how much is gone', () => {
    const journal = journalOf(...Array.from({ length: 11 }, () => made.request('CDS')));
    expect([journal.count(), journal.dropped]).toEqual([10, 1]);
  });
});

describe('An assertion on the journal', () => {
  it.each([{ exactly: 2 }, { atLeast: 2 }, { atMost: 2 }, { atLeast: 1, atMost: 3 }])('holds: %j', (expected) => {
    expect(() => journalOf(...sample()).assert(expected, { type: 'CDS', direction: 'in' })).not.toThrow();
  });

  it.each([{ exactly: 1 }, { exactly: 0 }, { atLeast: 3 }, { atMost: 1 }, { atLeast: 1, atMost: 1 }])('fails: %j', (expected) => {
    expect(() => journalOf(...sample()).assert(expected, { type: 'CDS', direction: 'in' })).toThrow('the journal holds 2');
  });

  it('that fails says what was expected, what is nearest, and what there is', () => {
    const assert = (): void => journalOf(...sample()).assert({ exactly: 1 }, { type: 'CDS', outcome: 'nack', node: 'router' });
    expect(assert).toThrow(
      expect.objectContaining({
        code: 'journal.unexpected',
        message: [
          'expected exactly 1 CDS requests (nack) of node router; the journal holds 0',
          'nearest: #5 0.500 s ← CDS request (ack) from router, x (its outcome is ack)',
          'last frames:',
          '  #1 0.100 s ← CDS request (initial) from sidecar~10.0.0.7~a.default~default.svc.cluster.local',
          '  #2 0.200 s → CDS response (reply) to sidecar~10.0.0.7~a.default~default.svc.cluster.local, a b, version v1, nonce n1, 120 bytes',
          '  #4 0.400 s ← LDS request (nack) from sidecar~10.0.0.7~a.default~default.svc.cluster.local, error 13: Error adding/updating listener(s) l1: no filter chain',
          '  #5 0.500 s ← CDS request (ack) from router, x',
        ].join('\n'),
      }) as Error,
    );
  });

  it('of nothing, on an empty journal, and without a number', () => {
    expect(() => journalOf().assert({ atLeast: 1 })).toThrow(
      'expected at least 1 frames; the journal holds 0\nno frame came in or went out',
    );
    expect(() => journalOf().assert({})).toThrow('Give exactly, atLeast or atMost');
  });
});
