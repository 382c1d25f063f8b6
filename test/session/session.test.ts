import { describe, expect, it } from 'vitest';
import { url } from '../protocol/world.ts';
import { Stage } from './stage.ts';

describe('A delay', () => {
  const delay = (delayMs: number) => ({ kind: 'delay', typeUrl: url('CDS'), delayMs }) as const;

  it('holds a response for its time, and says so', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform(delay(2000));
    const client = stage.connect();
    client.ask('CDS');
    stage.clock.advance(1999);
    expect(client.told).toEqual([]);
    expect(stage.eventsOf('response.sent')).toEqual([]);
    stage.clock.advance(1);
    expect(client.told).toEqual(['CDS a=1']);
    expect(stage.eventsOf('response.delayed')).toMatchObject([{ delayMs: 2000, type: 'CDS' }]);
    expect(stage.eventsOf('response.sent')).toMatchObject([{ type: 'CDS', names: ['a'] }]);
  });

  it('leaves other types alone', () => {
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } });
    stage.perform(delay(2000));
    const client = stage.connect();
    client.ask('CDS');
    client.ask('LDS');
    expect(client.told).toEqual(['LDS l=1']);
  });

  it('that is shortened or ended does not let later responses of the type overtake', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform(delay(2000));
    const client = stage.connect();
    client.ask('CDS');
    stage.clock.advance(500);
    stage.perform(delay(0));
    stage.publish({ CDS: { a: '2' } });
    expect(client.told).toEqual([]);
    stage.clock.advance(1500);
    expect(client.told).toEqual(['CDS a=1', 'CDS a=2']);
  });

  it('of CDS holds the EDS that follows it, in order', () => {
    const stage = new Stage({ CDS: { a: '1' }, EDS: { a: '1' } });
    const client = stage.connect();
    client.ask('CDS');
    client.answer('CDS');
    client.ask('EDS', ['a']);
    client.answer('EDS');
    stage.perform(delay(2000));
    stage.publish({ CDS: { a: '2' } });
    expect(client.told).toEqual([]);
    stage.clock.advance(2000);
    expect(client.told).toEqual(['CDS a=2', 'EDS a=1']);
  });

  it('keeps the order when a timer comes late', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform(delay(1000));
    const client = stage.connect();
    client.ask('CDS');
    // The clock is past the time, but the timer has not run.
    const { now } = stage.clock;
    stage.clock.now = () => now() + 1500;
    stage.perform(delay(0));
    stage.publish({ CDS: { a: '2' } });
    expect(client.told).toEqual(['CDS a=1', 'CDS a=2']);
  });

  it('waits on when a timer comes early', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform(delay(1000));
    const client = stage.connect();
    client.ask('CDS');
    const { now } = stage.clock;
    stage.clock.now = () => now() - 1;
    stage.clock.advance(1000);
    expect(client.told).toEqual([]);
    stage.clock.advance(1);
    expect(client.told).toEqual(['CDS a=1']);
  });

  it('takes the place of the one before for the type', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform(delay(5000));
    stage.perform(delay(1000));
    const client = stage.connect();
    client.ask('CDS');
    stage.clock.advance(1000);
    expect(client.told).toEqual(['CDS a=1']);
  });

  it('is called off when the client goes away', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform(delay(1000));
    const client = stage.connect();
    client.ask('CDS');
    client.leave();
    expect(stage.clock.pending).toBe(0);
    expect(stage.eventsOf('response.sent')).toEqual([]);
  });
});

describe('A drop', () => {
  it('takes as many responses of a type as it says, which count as sent', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform({ kind: 'drop', typeUrl: url('CDS'), count: 2 });
    const client = stage.connect();
    client.ask('CDS');
    stage.publish({ CDS: { a: '2' } });
    stage.publish({ CDS: { a: '2' } });
    expect(client.told).toEqual([]);
    stage.publish({ CDS: { a: '3' } });
    expect(client.told).toEqual(['CDS a=3']);
    expect(stage.eventsOf('response.dropped')).toHaveLength(2);
    expect(stage.eventsOf('response.sent')).toHaveLength(1);
  });

  it('may be for some streams only', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform({ kind: 'drop', typeUrl: url('CDS'), count: 1, streams: { variant: 'delta' } });
    const [sotw, delta] = [stage.connect('sotw'), stage.connect('delta')];
    sotw.ask('CDS');
    delta.ask('CDS');
    expect([sotw.told, delta.told]).toEqual([['CDS a=1'], []]);
  });
});

describe('A stream', () => {
  const away = { code: 14, message: 'come back later' };

  it('is closed with a status, and is heard no more', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect();
    client.ask('CDS');
    stage.perform({ kind: 'close', status: away });
    expect(client.ended).toEqual(away);
    client.ask('LDS');
    client.closedByTransport(away);
    expect(stage.eventsOf('stream.closed')).toMatchObject([{ stream: 1, by: 'server', code: 14, text: 'come back later' }]);
    expect(stage.eventsOf('request.received')).toHaveLength(1);
    expect(stage.plane.sessions.all).toEqual([]);
  });

  it('is closed only if it is meant', () => {
    const stage = new Stage();
    const [one, other] = [stage.connect('sotw', 'one'), stage.connect('sotw', 'other')];
    one.ask('CDS');
    other.ask('CDS');
    stage.perform({ kind: 'close', status: away, streams: { node: { id: 'o*e' } } });
    expect([one.ended, other.ended]).toEqual([away, undefined]);
  });

  it('is refused as often as it was said, then let in', () => {
    const stage = new Stage();
    stage.perform({ kind: 'refuse', status: away, count: 2 });
    expect([stage.connect(), stage.connect(), stage.connect()].map(({ ended }) => ended)).toEqual([away, away, undefined]);
    expect(stage.eventsOf('stream.refused').map(({ stream, code }) => [stream, code])).toEqual([
      [1, 14],
      [2, 14],
    ]);
    expect(stage.eventsOf('stream.opened').map(({ stream }) => stream)).toEqual([3]);
  });

  it('is refused until accept', () => {
    const stage = new Stage();
    stage.perform({ kind: 'refuse', status: away });
    expect(stage.connect().ended).toEqual(away);
    stage.perform({ kind: 'accept' });
    expect(stage.connect().ended).toBeUndefined();
  });

  it('of a node that is refused ends with its first request', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform({ kind: 'refuse', status: away, streams: { node: { id: 'bad' } } });
    const [bad, good] = [stage.connect('sotw', 'bad'), stage.connect('sotw', 'good')];
    bad.ask('CDS');
    good.ask('CDS');
    expect([bad.ended, good.ended, good.told]).toEqual([away, undefined, ['CDS a=1']]);
  });

  it.each([
    ['sotw', 14],
    ['delta', 2],
  ] as const)('in %s is refused with status %i while istiod is not ready, as istiod does', (variant, code) => {
    const stage = new Stage({}, { ready: false });
    expect(stage.connect(variant).ended).toEqual({ code, message: 'server is not ready to serve discovery information' });
    stage.perform({ kind: 'set-ready', ready: true });
    expect(stage.connect(variant).ended).toBeUndefined();
  });

  it('works off what its own events bring about in turn, not in between', () => {
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } });
    const client = stage.connect();
    client.ask('CDS');
    client.answer('CDS');
    let published = false;
    stage.on(({ event }) => {
      if (event !== 'request.received' || published) return;
      published = true;
      stage.publish({ LDS: { l: '2' } });
    });
    client.ask('LDS');
    expect(client.told).toEqual(['LDS l=1', 'LDS l=2']);
  });

  it('may be closed by a listener in the middle of an answer', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect();
    stage.on(({ event }) => event === 'request.received' && stage.perform({ kind: 'close', status: away }));
    client.ask('CDS');
    expect([client.ended, client.told]).toEqual([away, []]);
  });

  it('says nothing after its end, whoever ended it', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect();
    client.ask('CDS');
    stage.on(({ event }) => event === 'request.received' && stage.perform({ kind: 'close', status: away }));
    client.answer('CDS');
    expect(stage.events.at(-1)?.event).toBe('stream.closed');
  });

  it('that is open already is not refused with its first request', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect();
    stage.perform({ kind: 'refuse', status: away });
    client.ask('CDS');
    expect([client.ended, client.told]).toEqual([undefined, ['CDS a=1']]);
  });

  it('is told apart by its node for a while after it ended', () => {
    const stage = new Stage();
    const client = stage.connect('sotw', 'one');
    client.ask('CDS');
    client.leave();
    expect(stage.plane.sessions.nodeOf(1)?.id).toBe('one');
    for (let i = 0; i < 40; i++) {
      const other = stage.connect('sotw', `other ${i}`);
      other.ask('CDS');
      other.leave();
    }
    expect(stage.plane.sessions.nodeOf(1)).toBeUndefined();
  });
});

describe('A nonce', () => {
  it('is the version and a UUID, shared by the streams that are sent the same version for the first time, and never one that the stream had', () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const [one, two] = [stage.connect('sotw', 'one'), stage.connect('delta', 'two')];
    one.ask('CDS');
    two.ask('CDS');
    stage.publish({ CDS: { a: '2' } });
    const nonces = [...one.received, ...two.received].map(({ nonce }) => nonce);
    expect(nonces[1]).toBe(nonces[3]);
    expect(nonces[0]).toBe(nonces[2]);
    expect(new Set(nonces).size).toBe(2);
    expect(nonces[1]).toMatch(/^2026-11-30T08:04:45Z\/2[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });
});
