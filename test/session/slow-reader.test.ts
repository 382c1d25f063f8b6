import { describe, expect, it } from 'vitest';
import { namesOf } from '../../src/protocol/resource.ts';
import { url } from '../protocol/world.ts';
import { Stage, type PortClient } from './stage.ts';

const variants = ['sotw', 'delta'] as const;

/** A client that has accepted its clusters, and reads no more. */
function stuck(stage: Stage, variant: (typeof variants)[number]): PortClient {
  const client = stage.connect(variant);
  client.ask('CDS');
  client.answer('CDS');
  client.blocked = true;
  return client;
}

describe.each(variants)('a client that does not read, %s,', (variant) => {
  it('is sent one response for all that was published meanwhile, with what is served then', () => {
    const stage = new Stage({ CDS: { a: 'a0', b: 'b' } });
    const client = stuck(stage, variant);
    for (let round = 1; round <= 1000; round += 1) stage.publish({ CDS: { a: `a${round}`, ...(round < 500 ? { b: 'b' } : { c: 'c' }) } });
    expect(client.received).toEqual([]);
    expect(stage.eventsOf('response.sent')).toHaveLength(1);
    client.read();
    expect(client.received.map(({ resources, removed }) => [namesOf(resources), removed])).toEqual([
      [['a', 'c'], variant === 'delta' ? ['b'] : []],
    ]);
    expect(Buffer.from(client.received[0]?.resources[0]?.value ?? []).toString()).toContain('a1000');
    stage.publish({ CDS: { a: 'last' } });
    expect(client.received).toHaveLength(2);
  });

  it('is sent nothing when it reads again if all is as it has it', () => {
    const stage = new Stage({ CDS: { a: 'a' } });
    const client = stuck(stage, variant);
    stage.publish({ CDS: { a: 'other' } });
    stage.publish({ CDS: { a: 'a' } });
    client.read();
    expect(client.received).toEqual([]);
  });

  it('is not sent what is withheld by the time that it reads again', () => {
    const stage = new Stage({ CDS: { a: 'a' } });
    const client = stuck(stage, variant);
    stage.publish({ CDS: { a: 'withheld' } });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    client.read();
    expect(client.received).toEqual([]);
    stage.perform({ kind: 'release', rules: [{ typeUrl: url('CDS') }] });
    expect(client.received).toHaveLength(1);
  });

  it('is sent all anew once, however often that was asked for', () => {
    const stage = new Stage({ CDS: { a: 'a' } });
    const client = stuck(stage, variant);
    stage.plane.sessions.pushAll();
    stage.publish({ CDS: { a: 'b' } });
    stage.plane.sessions.pushAll();
    client.read();
    expect(client.received).toHaveLength(1);
    client.read();
    expect(client.received).toHaveLength(1);
  });

  it('is not acknowledged for', async () => {
    const stage = new Stage({ CDS: { a: 'a' } });
    const client = stuck(stage, variant);
    const acked = stage.publish({ CDS: { a: 'b' } }).acked({ timeoutMs: 100 });
    stage.clock.advance(100);
    await expect(acked).rejects.toThrow('CDS: not sent yet');
    client.read();
    expect(client.received).toHaveLength(1);
  });
});

describe('a push to many streams', () => {
  function crowd(stage: Stage, size: number): readonly PortClient[] {
    return Array.from({ length: size }, (_, number) => {
      const client = stage.connect('sotw', `sidecar~10.0.0.1~pod-${number}.default~default.svc.cluster.local`);
      client.ask('CDS');
      client.answer('CDS');
      return client;
    });
  }

  const sent = (clients: readonly PortClient[]): number => clients.filter(({ received }) => received.length > 0).length;

  it('is acknowledged only when all have heard of it, also where nothing changed', async () => {
    const stage = new Stage({ CDS: { a: 'a' } });
    crowd(stage, 100);
    let done = false;
    const acked = stage
      .publish({ CDS: { a: 'a' } })
      .acked()
      .then(() => (done = true));
    await Promise.resolve();
    expect(done).toBe(false);
    await acked;
  });

  it('comes before what is commanded after it, for every stream', () => {
    const stage = new Stage({ CDS: { a: 'a' } });
    const clients = crowd(stage, 200);
    stage.publish({ CDS: { a: 'b' } });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    expect(sent(clients)).toBe(200);
    stage.publish({ CDS: { a: 'c' } });
    stage.plane.close({ code: 14, message: 'bye' });
    expect(stage.eventsOf('response.withheld')).toHaveLength(200);
  });

  it('is struck by the faults that were in force when it was published', () => {
    const stage = new Stage({ CDS: { a: 'a' } });
    const clients = crowd(stage, 100);
    stage.publish({ CDS: { a: 'b' } });
    stage.perform({ kind: 'drop', typeUrl: url('CDS'), count: 1000 });
    expect(sent(clients)).toBe(100);
  });
});
