import { describe, expect, it } from 'vitest';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import { advance, neverFired, newCursor, type Cursor, type CursorInput } from '../../src/script/cursor.ts';
import type { ScriptInput } from '../../src/script/event-pattern.ts';
import type { Step } from '../../src/script/scenario.ts';
import type { Trigger } from '../../src/script/trigger.ts';
import { scenarioOf } from './written.ts';

const tick: CursorInput = { kind: 'tick' };
const event = (name: string, fields: Readonly<Record<string, unknown>> = {}): ScriptInput => ({ event: name, ...fields });
const cds = event('request.received', {
  typeUrl: TypeUrl.cluster,
  type: 'CDS',
  outcome: 'initial',
  names: [],
  stream: 1,
  node: 'sidecar~1',
});
const lds = event('request.received', { typeUrl: TypeUrl.listener, type: 'LDS', outcome: 'initial', names: [], stream: 1 });

async function steps(text: string): Promise<readonly Step[]> {
  return (await scenarioOf(`title: a script\nsteps:\n${text}`)).steps;
}

const step = (name: string, when: Trigger): Step => ({ name, when, commands: [], optional: false });
const elapsed = (afterMs: number, since = 'start'): Trigger => ({ kind: 'elapsed', afterMs, since });

/** Feeds the inputs, each with its instant, and says which steps fired when. */
function played(
  start: Cursor,
  inputs: readonly (readonly [CursorInput, number])[],
): { readonly cursor: Cursor; readonly fired: readonly string[] } {
  let cursor = start;
  const fired = inputs.flatMap(([input, atMs]) => {
    const next = advance(cursor, input, atMs);
    cursor = next.cursor;
    return next.fired.map(({ name }) => `${name}@${atMs}`);
  });
  return { cursor, fired };
}

describe('a cursor', () => {
  it('lets a step fire at the event it waits for, and only once', async () => {
    const cursor = newCursor(await steps('  - { name: release, when: { request.received: CDS }, do: { release: CDS } }'), 0);
    expect(
      played(cursor, [
        [lds, 1],
        [cds, 2],
        [cds, 3],
      ]).fired,
    ).toEqual(['release@2']);
  });

  it('counts the nth event of a pattern', async () => {
    const cursor = newCursor(await steps('  - { name: third, when: { request.received: { type: CDS, nth: 3 } } }'), 0);
    expect(
      played(cursor, [
        [cds, 1],
        [lds, 2],
        [cds, 3],
        [cds, 4],
      ]).fired,
    ).toEqual(['third@4']);
  });

  it('takes a number alone as nth, and compares fields, node and lists', async () => {
    const script = await steps(`
  - { name: second stream, when: { stream.opened: 2 } }
  - { name: mine, when: { request.received: { node: { id: sidecar* }, outcome: initial } } }
  - { name: named, when: { response.sent: { names: web } } }`);
    const opened = event('stream.opened', { stream: 1 });
    const sent = event('response.sent', { typeUrl: TypeUrl.listener, names: ['api', 'web'] });
    expect(
      played(newCursor(script, 0), [
        [opened, 1],
        [lds, 2],
        [opened, 3],
        [cds, 4],
        [sent, 5],
      ]).fired,
    ).toEqual(['second stream@3', 'mine@4', 'named@5']);
  });

  it('asks who a node is where a pattern wants more than its id', async () => {
    const script = await steps('  - { name: demo, when: { request.received: { node: { metadata: { NAMESPACE: demo } } } } }');
    const node = { id: 'sidecar~1', cluster: 'x', metadata: { NAMESPACE: 'demo' } };
    expect(advance(newCursor(script, 0), cds, 1).fired).toEqual([]);
    expect(advance(newCursor(script, 0), cds, 1, () => node).fired).toHaveLength(1);
  });

  it('fires after a span of time and says when it wants to be woken', () => {
    const cursor = newCursor([step('late', elapsed(500)), step('later', elapsed(900))], 100);
    const first = advance(cursor, tick, 599);
    expect(first).toMatchObject({ fired: [], wakeAtMs: 600 });
    const second = advance(first.cursor, tick, 600);
    expect(second.fired.map(({ name }) => name)).toEqual(['late']);
    expect(second.wakeAtMs).toBe(1000);
    expect(advance(second.cursor, tick, 1000).wakeAtMs).toBeUndefined();
  });

  it('counts time since a moment only once that is marked', async () => {
    const script = await steps(`
  - { name: asked, when: { request.received: CDS } }
  - { name: release, when: { after: 700ms, since: asked }, do: { release: CDS } }`);
    expect(advance(newCursor(script, 0), tick, 5000).wakeAtMs).toBeUndefined();
    const asked = advance(newCursor(script, 0), cds, 5000);
    expect(asked.wakeAtMs).toBe(5700);
    expect(
      played(asked.cursor, [
        [tick, 5699],
        [tick, 5700],
      ]).fired,
    ).toEqual(['release@5700']);
  });

  it('lets the moments of a step set off further steps in the same call', async () => {
    const script = await steps(`
  - { name: third, when: { moment.marked: seen }, do: { mark: end } }
  - { name: second, when: { step.fired: first }, do: { mark: seen } }
  - { name: first, when: { request.received: CDS } }
  - { name: at once, when: { after: 0s, since: end } }`);
    expect(played(newCursor(script, 0), [[cds, 7]]).fired).toEqual(['first@7', 'second@7', 'third@7', 'at once@7']);
  });

  it('remembers which parts of all came true, in any order, and takes any of any', async () => {
    const script = await steps(`
  - { name: both, when: { request.received: LDS, envoy.state-reached: LIVE } }
  - { name: one, when: { any: [envoy.exited, { all: [server.stopped, { request.received: CDS }] }] } }`);
    const live = event('envoy.state-reached', { state: 'LIVE' });
    const done = played(newCursor(script, 0), [
      [live, 1],
      [event('server.stopped'), 2],
      [cds, 3],
      [lds, 4],
    ]);
    expect(done.fired).toEqual(['one@3', 'both@4']);
  });

  it('is told its own firing a second time without counting it twice', async () => {
    const script = await steps(`
  - { name: first, when: { request.received: CDS }, do: { mark: seen } }
  - { name: twice, when: { moment.marked: { moment: seen, nth: 2 } } }
  - { name: two steps, when: { step.fired: { nth: 2 } } }`);
    const echoes: readonly (readonly [CursorInput, number])[] = [
      [cds, 1],
      [event('step.fired', { step: 'first' }), 2],
      [event('moment.marked', { moment: 'first' }), 2],
      [event('moment.marked', { moment: 'seen' }), 2],
    ];
    expect(played(newCursor(script, 0), echoes).fired).toEqual(['first@1']);
  });

  it('does not count time of before the latest start, not even what had passed already, but does count events', () => {
    const mark = event('moment.marked', { moment: 'start' });
    const opened: Trigger = { kind: 'event', pattern: { event: 'stream.opened', fields: {} }, nth: 1 };
    const closed: Trigger = { kind: 'event', pattern: { event: 'stream.closed', fields: {} }, nth: 1 };
    const late = step('late', { kind: 'all', of: [{ kind: 'any', of: [opened, closed] }, elapsed(300)] });
    const never = step('never', { kind: 'all', of: [{ kind: 'any', of: [closed, elapsed(900)] }, elapsed(100)] });
    const { fired } = played(newCursor([late, never], 0), [
      [tick, 400],
      [mark, 1_000],
      [event('stream.opened'), 1_100],
      [tick, 1_250],
      [mark, 1_260],
      [tick, 1_310],
      [tick, 1_560],
    ]);
    expect(fired).toEqual(['late@1560']);
  });

  it('counts from the latest start, for a run marks it anew when Envoy is launched', () => {
    const cursor = newCursor([step('late', elapsed(500))], 0);
    const marked = advance(cursor, event('moment.marked', { moment: 'start' }), 400);
    expect(marked.wakeAtMs).toBe(900);
    expect(
      played(marked.cursor, [
        [tick, 899],
        [tick, 900],
      ]).fired,
    ).toEqual(['late@900']);
  });

  it('stays the very same value when an event means nothing to it', async () => {
    const cursor = newCursor(await steps('  - { name: release, when: { request.received: CDS } }'), 0);
    expect(advance(cursor, event('response.sent'), 1).cursor).toBe(cursor);
  });
});

describe('a step that never fired', () => {
  async function sentences(text: string, ...inputs: readonly (readonly [CursorInput, number])[]): Promise<readonly string[]> {
    return neverFired(played(newCursor(await steps(text), 0), inputs).cursor).map(({ sentence }) => sentence);
  }

  it('is told with what it waits for and how much of it came', async () => {
    expect(await sentences('  - { name: release, when: { request.received: { type: CDS, nth: 2 } } }', [cds, 1])).toEqual([
      'step release never fired: it waits until the 2nd CDS request arrives; 1 came',
    ]);
  });

  it('is told with the nearest thing that happened', async () => {
    expect(await sentences('  - { name: release, when: { request.received: { type: CDS, outcome: nack } } }', [lds, 1], [cds, 2])).toEqual([
      'step release never fired: it waits until the first CDS request with outcome nack arrives; the nearest was request.received of CDS with outcome initial',
    ]);
    expect(await sentences('  - { name: release, when: stream.closed }')).toEqual([
      'step release never fired: it waits until the first stream is closed; nothing like it came',
    ]);
  });

  it('is told with the moment that was never marked, or the time that was not enough', async () => {
    const text = `
  - { name: asked, when: { request.received: CDS }, optional: true }
  - { name: release, when: { after: 2s, since: asked } }`;
    expect(await sentences(text)).toEqual(['step release never fired: it waits for 2 s after asked, and asked was never marked']);
    expect(await sentences(text, [cds, 1])).toEqual(['step release never fired: it waits for 2 s after asked, and the run ended before']);
  });

  it('is told with the parts that came true', async () => {
    expect(await sentences('  - { name: both, when: { request.received: CDS, envoy.state-reached: LIVE } }', [cds, 1])).toEqual([
      'step both never fired: it waits until Envoy reaches LIVE; nothing like it came (came true: the first CDS request arrives)',
    ]);
  });

  it('is not told of if it is optional', async () => {
    expect(await sentences('  - { name: release, when: stream.closed, optional: true }')).toEqual([]);
  });
});
