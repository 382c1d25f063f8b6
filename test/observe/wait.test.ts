import { describe, expect, it } from 'vitest';
import { FakeIstiodError } from '../../src/errors.ts';
import { createTimeline } from '../../src/observe/timeline.ts';
import { waitFor } from '../../src/observe/wait.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import { manualClock } from '../clock.ts';
import { made } from './events.ts';

function world() {
  const clock = manualClock();
  return { clock, timeline: createTimeline(clock) };
}

async function failure(promise: Promise<unknown>): Promise<FakeIstiodError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FakeIstiodError);
  return error as FakeIstiodError;
}

describe('waitFor', () => {
  it('takes the name of the event under `type`, as the yardstick writes it', async () => {
    const { clock, timeline } = world();
    const waiting = waitFor(timeline, { type: 'response.withheld', typeUrl: TypeUrl.cluster }, { clock });
    timeline.record(made.withheld('LDS'));
    timeline.record(made.withheld('CDS'));
    expect((await waiting).seq).toBe(2);
    expect(clock.pending).toBe(0);
  });

  it('takes the name under `event`, and then `type` is the resource type by any of its names', async () => {
    const { clock, timeline } = world();
    timeline.record(made.nacked('LDS', 'Error adding listener: unknown cluster'));
    for (const type of ['LDS', 'lds', 'listeners', TypeUrl.listener]) {
      const found = await waitFor(timeline, { event: 'response.nacked', type, text: /unknown cluster/ }, { clock });
      expect(found.text).toContain('unknown cluster');
    }
  });

  it('counts events of before the call, unless `since` says otherwise', async () => {
    const { clock, timeline } = world();
    const first = timeline.record(made.acked('CDS'));
    expect((await waitFor(timeline, { type: 'response.acked' }, { clock })).seq).toBe(1);
    const waiting = waitFor(timeline, { type: 'response.acked' }, { clock, since: first.seq });
    timeline.record(made.acked('CDS'));
    expect((await waiting).seq).toBe(2);
  });

  it('compares lists by their members, texts with `*`, and anything with a test of one’s own', async () => {
    const { clock, timeline } = world();
    timeline.record(made.request('EDS', 'initial', ['a', 'b']));
    await waitFor(timeline, { type: 'request.received', names: 'b' }, { clock });
    await waitFor(timeline, { type: 'request.received', names: ['b', 'a'], node: 'sidecar~*' }, { clock });
    await waitFor(timeline, { type: 'request.received', names: (names: readonly string[]) => names.length === 2 }, { clock });
    await waitFor(timeline, (event) => event.event === 'request.received', { clock });
    const error = failure(waitFor(timeline, { type: 'request.received', names: ['a', 'c'] }, { clock, timeoutMs: 10 }));
    clock.advance(10);
    expect((await error).message).toContain('names is a, b, not a, c');
  });

  it('says after its time what was awaited, how long, the nearest event with the field that differs, and the last ten', async () => {
    const { clock, timeline } = world();
    clock.advance(213);
    timeline.record(made.request('CDS'));
    timeline.record(made.withheld('LDS'));
    for (let i = 0; i < 12; i++) timeline.record(made.state('LIVE'));
    const error = failure(waitFor(timeline, { type: 'response.withheld', typeUrl: TypeUrl.cluster }, { clock, timeoutMs: 2_000 }));
    clock.advance(2_000);
    const { code, message } = await error;
    expect(code).toBe('wait.timed-out');
    expect(message.split('\n').slice(0, 5)).toEqual([
      `no response.withheld with typeUrl ${TypeUrl.cluster} came within 2 s`,
      'nearest:   0.213  ⏸  LDS withheld [stream 1]',
      `         typeUrl is ${TypeUrl.listener}, not ${TypeUrl.cluster}`,
      'last events:',
      '    0.213  ●  Envoy is LIVE',
    ]);
    expect(message.split('\n')).toHaveLength(14);
    expect(clock.pending).toBe(0);
  });

  it('says that one came earlier if it does not count', async () => {
    const { clock, timeline } = world();
    timeline.record(made.acked('CDS'));
    const error = failure(waitFor(timeline, { type: 'response.acked' }, { clock, since: 1, timeoutMs: 5 }));
    clock.advance(5);
    expect((await error).message).toContain('one came earlier, which does not count here');
  });

  it('adds what its caller knows', async () => {
    const { clock, timeline } = world();
    const error = failure(
      waitFor(timeline, () => false, { clock, timeoutMs: 5, what: 'ACK of push 7', hint: () => 'CDS ACKs pause while clusters warm' }),
    );
    clock.advance(5);
    expect((await error).message).toBe('no ACK of push 7 came within 5 ms\nCDS ACKs pause while clusters warm\nnothing has happened yet');
  });

  it('ends at once when it is called off', async () => {
    const { clock, timeline } = world();
    const calledOff = new AbortController();
    const waiting = waitFor(timeline, { type: 'response.acked' }, { clock, signal: calledOff.signal });
    calledOff.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(waitFor(timeline, { type: 'response.acked' }, { clock, signal: calledOff.signal })).rejects.toThrow('stopped');
    expect(clock.pending).toBe(0);
  });

  it('fails with what its own predicate throws', async () => {
    const { clock, timeline } = world();
    const waiting = waitFor(
      timeline,
      () => {
        throw new Error('my own mistake');
      },
      { clock },
    );
    timeline.record(made.acked('CDS'));
    await expect(waiting).rejects.toThrow('my own mistake');
  });
});
