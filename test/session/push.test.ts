import { describe, expect, it } from 'vitest';
import { bothVariants } from '../protocol/model-client.ts';
import { node, url } from '../protocol/world.ts';
import { outcomeOf, settle, timedOut } from './acking.ts';
import { Stage, type PortClient } from './stage.ts';

describe.each(bothVariants)('A push is acked in %s', (variant) => {
  function settledClient(stage: Stage, id = node.id): PortClient {
    const client = stage.connect(variant, id);
    settle(client, 'CDS');
    return client;
  }

  it('when the client accepts it, and not before', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = settledClient(stage);
    const wait = stage.publish({ CDS: { a: '2' } }).acked();
    expect(await outcomeOf(wait)).toBe('waiting');
    client.answer('CDS');
    expect(await outcomeOf(wait)).toBe('acked');
  });

  it('when the client had accepted it before anyone asked', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = settledClient(stage);
    const push = stage.publish({ CDS: { a: '2' } });
    client.answer('CDS');
    expect(await outcomeOf(push.acked())).toBe('acked');
  });

  it('not by the late ACK of an older response', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect(variant);
    client.ask('CDS');
    const wait = stage.publish({ CDS: { a: '2' } }).acked();
    client.answer('CDS');
    expect(await outcomeOf(wait)).toBe('waiting');
    client.answer('CDS');
    expect(await outcomeOf(wait)).toBe('acked');
  });

  it('by the ACK of its own response, though a newer one is on its way and is rejected later', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = settledClient(stage);
    const good = stage.publish({ CDS: { a: '2' } });
    const bad = stage.publish({ CDS: { a: 'bad' } });
    client.answer('CDS');
    client.answer('CDS', 'a is no good');
    expect(await outcomeOf(good.acked())).toBe('acked');
    expect(await outcomeOf(bad.acked())).toBe(`push.nacked: ${node.id} rejected CDS: a is no good`);
  });

  it('by the ACK of a newer one that overtook it before it was sent', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = settledClient(stage);
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    const overtaken = stage.publish({ CDS: { a: '2' } }).acked();
    const newer = stage.publish({ CDS: { a: '3' } }).acked();
    stage.perform({ kind: 'release', rules: [{ typeUrl: url('CDS') }] });
    expect(await outcomeOf(overtaken)).toBe('waiting');
    client.answer('CDS');
    expect([await outcomeOf(overtaken), await outcomeOf(newer)]).toEqual(['acked', 'acked']);
  });

  it('at once, if the client accepted this very content before', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    settledClient(stage);
    const push = stage.publish({ CDS: { a: '1' } });
    expect(push.typeUrls).toEqual([]);
    expect(await outcomeOf(push.acked())).toBe('acked');
  });

  it('not at once, if this very content is not accepted yet, and not at all if it was rejected', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect(variant);
    client.ask('CDS');
    const wait = stage.publish({ CDS: { a: '1' } }).acked();
    expect(await outcomeOf(wait)).toBe('waiting');
    client.answer('CDS', 'no good');
    expect(await outcomeOf(wait)).toContain('push.nacked');
    expect(await outcomeOf(stage.publish({ CDS: { a: '1' } }).acked())).toContain('no good');
  });

  it('only by every client, unless one is named', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const [one] = [settledClient(stage, 'one'), settledClient(stage, 'two')];
    const push = stage.publish({ CDS: { a: '2' } });
    const [all, first] = [push.acked(), push.acked({ node: 'o*' })];
    one.answer('CDS');
    expect([await outcomeOf(all), await outcomeOf(first)]).toEqual(['waiting', 'acked']);
  });

  it('on the new stream, when the client lost the old one, and not by what was accepted there', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = settledClient(stage);
    const wait = stage.publish({ CDS: { a: '2' } }).acked({ node: node.id });
    client.leave();
    const again = stage.connect(variant);
    again.ask('CDS');
    expect(await outcomeOf(wait)).toBe('waiting');
    again.answer('CDS');
    expect(await outcomeOf(wait)).toBe('acked');
  });

  it('never by a NACK on a new stream', async () => {
    const stage = new Stage({ CDS: { a: 'bad' } });
    const client = stage.connect(variant);
    const wait = stage.publish({ CDS: { a: 'worse' } }).acked({ node: node.id });
    client.ask('CDS');
    client.answer('CDS', 'worse is no good');
    expect(await outcomeOf(wait)).toBe(`push.nacked: ${node.id} rejected CDS: worse is no good`);
  });

  it('by the fix after a NACK, and the rejected one stays rejected until then', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = settledClient(stage);
    const bad = stage.publish({ CDS: { a: 'bad' } });
    client.answer('CDS', 'no good');
    const fix = stage.publish({ CDS: { a: '2' } });
    expect([await outcomeOf(bad.acked()), await outcomeOf(fix.acked())]).toEqual([expect.stringContaining('push.nacked'), 'waiting']);
    client.answer('CDS');
    expect([await outcomeOf(bad.acked()), await outcomeOf(fix.acked())]).toEqual(['acked', 'acked']);
  });

  it('not by the ACK of an answer to something else, while what was rejected is not made up for', async () => {
    const stage = new Stage({ EDS: { a: '1', b: '1' } });
    const client = stage.connect(variant);
    settle(client, 'EDS', ['a']);
    const bad = stage.publish({ EDS: { a: 'bad', b: '1' } });
    client.answer('EDS', 'no good');
    settle(client, 'EDS', ['b']);
    expect(await outcomeOf(bad.acked())).toContain('push.nacked');
    stage.publish({ EDS: { a: 'worse', b: '1' } });
    client.answer('EDS', 'no better');
    expect(await outcomeOf(bad.acked())).toContain('push.nacked');
    stage.publish({ EDS: { a: '2', b: '1' } });
    client.answer('EDS');
    expect(await outcomeOf(bad.acked())).toBe('acked');
  });

  it('not while part of it is withheld', async () => {
    const stage = new Stage({ CDS: { a: '1', b: '1' } });
    const client = settledClient(stage);
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS'), names: ['b'] }] });
    const wait = stage.publish({ CDS: { a: '2', b: '2' } }).acked();
    client.answer('CDS');
    expect(await outcomeOf(wait)).toBe('waiting');
    stage.perform({ kind: 'release', rules: [{ typeUrl: url('CDS') }] });
    client.answer('CDS');
    expect(await outcomeOf(wait)).toBe('acked');
  });

  it('by a client that has nothing to do with what was changed', async () => {
    const stage = new Stage({ CDS: { a: '1' }, EDS: { a: '1', b: '1' } }, { layers: [{ node: { id: 'other' }, resources: [] }] });
    const client = settledClient(stage);
    settle(client, 'EDS', ['a']);
    expect(await outcomeOf(stage.publish({ EDS: { a: '1', b: '2' } }).acked())).toBe('acked');
    expect(await outcomeOf(stage.publish({ CDS: { a: '9' } }, 1).acked())).toBe('acked');
  });

  it('not by the others, while one who was there has gone, and by all once it is back', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const [stays, leaves] = [settledClient(stage, 'stays'), settledClient(stage, 'leaves')];
    const push = stage.publish({ CDS: { a: '2' } });
    const wait = push.acked();
    leaves.leave();
    stays.answer('CDS');
    expect(await outcomeOf(wait)).toBe('waiting');
    const back = stage.connect(variant, 'leaves');
    settle(back, 'CDS');
    expect(await outcomeOf(wait)).toBe('acked');
    back.leave();
    expect(await outcomeOf(push.acked())).toBe('acked');
  });

  it('by one stream per type as well as by one for all', async () => {
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } });
    const [clusters, listeners] = [stage.connect(variant), stage.connect(variant)];
    settle(clusters, 'CDS');
    settle(listeners, 'LDS');
    const wait = stage.publish({ CDS: { a: '2' }, LDS: { l: '2' } }).acked();
    clusters.answer('CDS');
    expect(await outcomeOf(wait)).toBe('waiting');
    listeners.answer('LDS');
    expect(await outcomeOf(wait)).toBe('acked');
  });

  it('for the types named, whatever else was published', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = settledClient(stage);
    const push = stage.publish({ CDS: { a: '2' }, RDS: { r: '1' } });
    client.answer('CDS');
    expect(await outcomeOf(push.acked({ types: ['CDS'] }))).toBe('acked');
    expect(await outcomeOf(push.acked({ types: ['nonsense'] }))).toContain('options.invalid: "nonsense" is no resource type');
  });

  it('not after a dropped response that the client never saw', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    settledClient(stage);
    stage.perform({ kind: 'drop', typeUrl: url('CDS'), count: 1 });
    expect(await timedOut(stage, stage.publish({ CDS: { a: '2' } }))).toBe(
      `wait.timed-out: push not acknowledged within 10 s: ${node.id} CDS: sent, no answer yet`,
    );
  });
});
