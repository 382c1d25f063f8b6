import { describe, expect, it } from 'vitest';
import { bothVariants } from '../protocol/model-client.ts';
import { node, url } from '../protocol/world.ts';
import { Stage } from './stage.ts';

describe.each(bothVariants)('A node in %s', (variant) => {
  const typeOf = (stage: Stage, short = 'CDS', id = node.id) => stage.plane.sessions.node(id)?.types.find(({ type }) => type === short);

  it('is what its first request tells, with its streams', () => {
    const stage = new Stage();
    stage.clock.advance(250);
    const client = stage.connect(variant);
    expect(stage.plane.sessions.nodes).toEqual([]);
    client.ask('CDS');
    const [found] = stage.plane.sessions.nodes;
    expect(found).toMatchObject({ ...node, connected: true });
    expect(found?.streams).toEqual([{ stream: 1, variant, peer: '127.0.0.1:4711', secure: false, openedAtMs: 250 }]);
  });

  it('stands with each type somewhere between not sent and acked', () => {
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('CDS') }] });
    const client = stage.connect(variant);
    client.ask('CDS');
    expect(typeOf(stage)).toMatchObject({ sync: 'withheld', withheld: 'all', wildcard: 'legacy', names: [], counts: { withheld: 1 } });
    stage.perform({ kind: 'release', rules: [{ typeUrl: url('CDS') }] });
    const sent = { version: client.received[0]?.version, nonce: client.received[0]?.nonce };
    expect(typeOf(stage)).toMatchObject({ sync: 'sent', sent });
    expect(typeOf(stage)).not.toHaveProperty('acked');
    client.answer('CDS');
    expect(typeOf(stage)).toMatchObject({ sync: 'acked', sent, acked: sent });
    stage.publish({ CDS: { a: '2' } });
    client.answer('CDS', 'bad cluster');
    expect(typeOf(stage)).toMatchObject({ sync: 'nacked', nacked: { text: 'bad cluster' }, acked: sent });
    expect(typeOf(stage)?.counts).toEqual({ requests: 3, responses: 2, acks: 1, nacks: 1, withheld: 1 });
    expect(typeOf(stage, 'LDS')).toBeUndefined();
  });

  it('has a withheld name told beside what it was sent', () => {
    const stage = new Stage({ EDS: { a: '1', b: '1' } });
    stage.perform({ kind: 'withhold', rules: [{ typeUrl: url('EDS'), names: ['b'] }] });
    const client = stage.connect(variant);
    client.ask('EDS', ['a', 'b']);
    expect(typeOf(stage, 'EDS')).toMatchObject({ withheld: ['b'], names: ['a', 'b'], wildcard: 'no', sync: 'withheld' });
  });

  it('that is on several streams is one node', () => {
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } });
    const [first, second] = [stage.connect(variant), stage.connect(variant)];
    second.ask('LDS');
    first.ask('CDS');
    expect(stage.plane.sessions.nodes).toHaveLength(1);
    expect(stage.plane.sessions.nodes[0]?.types.map(({ type, stream }) => [type, stream])).toEqual([
      ['CDS', 1],
      ['LDS', 2],
    ]);
  });

  it('that left stays listed as it was, until it comes back', () => {
    const stage = new Stage({ CDS: { a: '1' }, LDS: { l: '1' } });
    const [first, second] = [stage.connect(variant), stage.connect(variant)];
    first.ask('CDS');
    second.ask('LDS');
    second.answer('LDS');
    stage.clock.advance(100);
    second.leave();
    expect(stage.plane.sessions.nodes[0]).toMatchObject({ connected: true, types: [{ type: 'CDS' }] });
    stage.clock.advance(100);
    first.leave();
    expect(stage.plane.sessions.nodes).toMatchObject([
      {
        id: node.id,
        connected: false,
        leftAtMs: 200,
        streams: [],
        types: [
          { type: 'CDS', sync: 'sent' },
          { type: 'LDS', sync: 'acked' },
        ],
      },
    ]);
    const again = stage.connect(variant);
    again.ask('LDS');
    again.leave();
    expect(stage.plane.sessions.nodes).toMatchObject([{ connected: false, types: [{ type: 'LDS', sync: 'sent' }] }]);
  });
});

describe('The list of nodes', () => {
  it('has the connected ones first, and the last hundred that left, the last one first', () => {
    const stage = new Stage();
    for (let i = 1; i <= 101; i++) {
      const client = stage.connect('delta', `n${i}`);
      client.ask('CDS');
      client.leave();
    }
    stage.connect('delta', 'here').ask('CDS');
    const ids = stage.plane.sessions.nodes.map(({ id }) => id);
    expect([ids.length, ids.slice(0, 3), ids.at(-1)]).toEqual([101, ['here', 'n101', 'n100'], 'n2']);
    expect([stage.plane.sessions.node('n1'), stage.plane.sessions.node('n2')?.connected]).toEqual([undefined, false]);
  });
});

describe('What nodes that left may take', () => {
  const leaves = (stage: Stage, id: string, mebibytes: number): void => {
    const client = stage.connect('delta', id);
    client.ask('EDS', [id.repeat(mebibytes * 1024 * 1024)]);
    client.leave();
  };
  const listed = (stage: Stage): readonly string[] => stage.plane.sessions.nodes.map(({ id }) => id);

  it('is bounded: those that left first are forgotten, and their room is free again', () => {
    const stage = new Stage();
    for (const id of ['a', 'b', 'c', 'd', 'e']) leaves(stage, id, 10);
    expect(listed(stage)).toEqual(['e', 'd', 'c']);
    for (const id of ['f', 'f', 'g']) leaves(stage, id, 1);
    expect(listed(stage)).toEqual(['g', 'f', 'e', 'd']);
  });

  it('never costs the last one its place', () => {
    const stage = new Stage();
    leaves(stage, 'a', 1);
    leaves(stage, 'b', 40);
    expect(listed(stage)).toEqual(['b']);
    leaves(stage, 'c', 1);
    expect(listed(stage)).toEqual(['c']);
  });
});

describe('A client that asks for nothing', () => {
  it('has as good as not asked', () => {
    const stage = new Stage({ EDS: { a: '1' } });
    stage.connect('sotw').ask('EDS', []);
    expect(stage.plane.sessions.nodes[0]?.types).toMatchObject([{ type: 'EDS', sync: 'not requested' }]);
  });
});
