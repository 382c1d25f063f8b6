import { describe, expect, it } from 'vitest';
import { bothVariants } from '../protocol/model-client.ts';
import { node, url } from '../protocol/world.ts';
import { outcomeOf, settle, timedOut } from './acking.ts';
import { Stage } from './stage.ts';

describe('A push that is not acked says', () => {
  const later = 'wait.timed-out: push not acknowledged within 10 s: ';

  it('at once that no client is connected, unless it is to wait for one', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const push = stage.publish({ CDS: { a: '2' } });
    expect(await outcomeOf(push.acked())).toContain('wait.timed-out: no client is connected');
    expect(await timedOut(stage, push, { node: 'me' })).toBe(`${later}no client with node id me is connected`);
  });

  it('that the type was not asked for, and what to do about it', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    settle(stage.connect(), 'CDS');
    expect(await timedOut(stage, stage.publish({ RDS: { r: '1' } }))).toBe(
      `${later}${node.id} RDS: the client has not asked for it yet (a client that never will: name the types to wait for, acked({ types }))`,
    );
  });

  it('that it is withheld', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    settle(stage.connect(), 'CDS');
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    expect(await timedOut(stage, stage.publish({ CDS: { a: '2' } }))).toBe(`${later}${node.id} CDS: withheld; release it`);
  });

  it('that Envoy waits for EDS before it acknowledges CDS or asks for LDS', async () => {
    const stage = new Stage({ CDS: { a: '1', b: '1' }, EDS: { a: '1', b: '1' } });
    const client = stage.connect('delta');
    client.ask('CDS');
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('EDS') }] });
    client.ask('EDS', ['a', 'b']);
    const why = 'Envoy pauses while clusters warm: EDS is withheld for a, b';
    expect(await timedOut(stage, stage.publish({ CDS: { a: '2' }, LDS: { l: '1' } }))).toBe(
      `${later}${node.id} CDS: sent, no answer yet (${why}); ${node.id} LDS: the client has not asked for it yet (${why})`,
    );
  });

  it('that Envoy asks for no listeners while CDS is withheld', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    stage.connect().ask('CDS');
    expect(await timedOut(stage, stage.publish({ LDS: { l: '1' } }))).toBe(
      `${later}${node.id} LDS: the client has not asked for it yet (Envoy asks for it once its clusters are ready, and CDS is withheld)`,
    );
  });

  it('that SDS keeps clusters warming, too', async () => {
    const stage = new Stage({ CDS: { a: '1' }, SDS: { root: '1' } });
    const client = stage.connect('delta');
    client.ask('CDS');
    client.ask('SDS', ['root']);
    expect(await timedOut(stage, stage.publish({ CDS: { a: '2' } }))).toBe(
      `${later}${node.id} CDS: sent, no answer yet (Envoy pauses while clusters warm: SDS is unanswered for root)`,
    );
  });

  it.each(bothVariants)('in %s which clusters have no endpoints to wait for', async (variant) => {
    const stage = new Stage({ CDS: { a: '1' }, EDS: { a: '1' } });
    const client = stage.connect(variant);
    client.ask('CDS');
    settle(client, 'EDS', ['a', 'b', 'c']);
    const push = stage.publish({ CDS: { a: '2' } });
    client.answer('EDS');
    expect(await timedOut(stage, push)).toBe(
      `${later}${node.id} CDS: sent, no answer yet (Envoy pauses while clusters warm: EDS has nothing for b, c)`,
    );
  });

  it.each([
    ['EDS', 'CDS'],
    ['RDS', 'LDS'],
  ] as const)('that %s is asked for only once %s names it', async (type, namer) => {
    const stage = new Stage({ [namer]: { a: '1' } });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url(namer) }] });
    stage.connect().ask(namer);
    const why = `Envoy asks for it once a ${namer} resource names it, and that is withheld`;
    expect(await timedOut(stage, stage.publish({ [type]: { a: '1' } }))).toBe(
      `${later}${node.id} ${type}: the client has not asked for it yet (${why})`,
    );
  });

  it('whose stream ended', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const client = stage.connect();
    settle(client, 'CDS');
    const wait = timedOut(stage, stage.publish({ CDS: { a: '2' } }));
    client.leave();
    expect(await wait).toBe(`${later}${node.id}: its stream ended before it acknowledged, and it has not come back`);
  });

  it('that the fake istiod was stopped', async () => {
    const stage = new Stage({ CDS: { a: '1' } });
    const push = stage.publish({ CDS: { a: '2' } });
    const wait = push.acked({ node: 'me' });
    stage.ending.abort(new Error('stopped'));
    expect([await outcomeOf(wait), await outcomeOf(push.acked({ node: 'me' }))]).toEqual(['undefined: stopped', 'undefined: stopped']);
    expect(stage.clock.pending).toBe(0);
  });
});
