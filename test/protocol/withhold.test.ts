import { describe, expect, it } from 'vitest';
import { released, withheldOf, type WithholdRule } from '../../src/protocol/withhold-rule.ts';
import { bothVariants, ModelClient, told } from './model-client.ts';
import { node, url, World, type Short } from './world.ts';

function rule(type: Short, more: Partial<WithholdRule> = {}): WithholdRule {
  return { typeUrl: url(type), ...more };
}

describe.each(bothVariants)('Withholding in %s', (variant) => {
  function withheldClient(world: World, ...rules: WithholdRule[]): ModelClient {
    return new ModelClient(variant, world, { rules });
  }

  it('a type leaves its first request without an answer, and says so once', () => {
    const client = withheldClient(new World({ CDS: { a: '1' } }), rule('CDS'));
    expect(client.ask('CDS')).toEqual([]);
    expect(client.publish(client.world.replace({ CDS: { a: '2' } }))).toEqual([]);
    expect(client.eventsOf('response.withheld')).toMatchObject([{ type: 'CDS', names: [] }]);
  });

  it('ends with the newest there is, not with what was withheld', () => {
    const world = new World({ CDS: { a: '1', b: '1' } });
    const client = withheldClient(world, rule('CDS'));
    client.ask('CDS');
    client.publish(world.replace({ CDS: { a: '2' } }));
    const [response] = client.setRules([]);
    expect(told([response!])).toEqual(['CDS a=2']);
    expect(response?.cause).toBe('release');
    expect(client.setRules([])).toEqual([]);
  });

  it('ends with what the client wants by then', () => {
    const client = withheldClient(new World({ EDS: { a: '1', b: '2' } }), rule('EDS'));
    client.ask('EDS', ['a']);
    client.ask('EDS', ['b']);
    client.giveUp('EDS', ['a']);
    expect(told(client.setRules([]))).toEqual(['EDS b=2']);
  });

  it('owes nothing of a name that was given up meanwhile', () => {
    const world = new World({ EDS: { a: '1', b: '2' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('EDS', ['a', 'b']));
    client.setRules([rule('EDS')]);
    client.publish(world.replace({ EDS: { a: '2', b: '2' } }));
    client.giveUp('EDS', ['a']);
    expect(client.setRules([])).toEqual([]);
  });

  it('a push that is undone before the release leaves nothing to send', () => {
    const world = new World({ CDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.setRules([rule('CDS')]);
    client.publish(world.replace({ CDS: { a: '1', late: '1' } }));
    client.publish(world.replace({ CDS: { a: '1' } }));
    expect(client.setRules([])).toEqual([]);
  });

  it('a removal makes it known at the release', () => {
    const world = new World({ CDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.setRules([rule('CDS')]);
    client.publish(world.replace({ CDS: { a: '1' } }));
    client.ackAll(client.setRules([]));
    expect(client.holds('CDS')).toEqual(['a=1']);
  });

  it('names lets the rest through, and is told by name', () => {
    const client = withheldClient(new World({ CDS: { a: '1', b: '2' } }), rule('CDS', { names: ['b'] }));
    client.ackAll(client.ask('CDS'));
    expect(client.holds('CDS')).toEqual(['a=1']);
    expect(client.eventsOf('response.withheld')).toMatchObject([{ names: ['b'] }]);
    client.ackAll(client.setRules([]));
    expect(client.holds('CDS')).toEqual(['a=1', 'b=2']);
  });

  it('the only name of a first answer withholds the answer, or warming would end', () => {
    const client = withheldClient(new World({ EDS: { a: '1' } }), rule('EDS', { names: ['a'] }));
    expect(client.ask('EDS', ['a'])).toEqual([]);
    expect(told(client.setRules([]))).toEqual(['EDS a=1']);
  });

  it('the change of a name keeps the client at what it had, and a push that changes nothing else is not sent', () => {
    const world = new World({ CDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.setRules([rule('CDS', { names: ['b'] })]);
    expect(client.publish(world.replace({ CDS: { a: '1', b: '2' } }))).toEqual([]);
    client.ackAll(client.publish(world.replace({ CDS: { a: '2', b: '2' } })));
    expect(client.holds('CDS')).toEqual(['a=2', 'b=1']);
    client.ackAll(client.setRules([]));
    expect(client.holds('CDS')).toEqual(['a=2', 'b=2']);
  });

  it('a name that is asked for later does not let it out with the answer to something else', () => {
    const world = new World({ CDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS', ['a']));
    client.setRules([rule('CDS', { names: ['b'] })]);
    expect(client.ask('CDS', ['b'])).toEqual([]);
    expect(told(client.publish(world.replace({ CDS: { a: '2', b: '1' } })))).toEqual(['CDS a=2']);
    client.ackAll(client.setRules([]));
    expect(client.holds('CDS')).toContain('b=1');
  });

  it('the removal of a name keeps it with the client', () => {
    const world = new World({ CDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.setRules([rule('CDS', { names: ['b'] })]);
    client.ackAll(client.publish(world.replace({ CDS: { a: '2' } })));
    expect(client.holds('CDS')).toEqual(['a=2', 'b=1']);
    client.ackAll(client.setRules([]));
    expect(client.holds('CDS')).toEqual(['a=2']);
  });

  it('is lifted for single names from a whole type', () => {
    const client = withheldClient(new World({ EDS: { a: '1', b: '2' } }), rule('EDS'));
    client.ask('EDS', ['a', 'b']);
    const partly = released([rule('EDS')], rule('EDS', { names: ['a'] }));
    expect(told(client.setRules(partly))).toEqual(['EDS a=1']);
    expect(told(client.setRules([]))).toEqual(['EDS b=2']);
  });

  it('does not send what was refused again because something else is withheld', () => {
    const world = new World({ CDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.nack(client.publish(world.replace({ CDS: { a: 'bad' } }))[0]!);
    client.setRules([rule('CDS', { names: ['b'] })]);
    expect(client.publish(world.replace({ CDS: { a: 'bad', b: '1' } }))).toEqual([]);
  });

  it('the fix of what was refused brings all of it at the release', () => {
    const world = new World({ CDS: {} });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.nack(client.publish(world.replace({ CDS: { a: 'bad', b: 'good' } }))[0]!);
    client.setRules([rule('CDS')]);
    client.publish(world.replace({ CDS: { a: '2', b: 'good' } }));
    client.ackAll(client.setRules([]));
    expect(client.holds('CDS')).toEqual(['a=2', 'b=good']);
  });

  it('all there is of a first answer does not withhold what comes later', () => {
    const world = new World({ EDS: { a: '1' } });
    const client = withheldClient(world, rule('EDS', { names: ['a'] }));
    client.ask('EDS', ['a', 'b']);
    expect(told(client.publish(world.replace({ EDS: { a: '1', b: '1' } })))).toEqual(['EDS b=1']);
    expect(told(client.setRules([]))).toEqual(['EDS a=1']);
  });

  it('one type leaves the others alone', () => {
    const client = withheldClient(new World({ CDS: { a: '1' }, LDS: { l: '1' } }), rule('CDS'));
    client.ask('CDS');
    expect(told(client.ask('LDS'))).toEqual(['LDS l=1']);
  });
});

describe('A rule', () => {
  const other = { ...node, id: 'sidecar~10.0.0.2~cart.demo~demo.svc.cluster.local' };
  const [one, two] = [{ id: node.id }, { id: '*cart*' }];

  /** What is withheld from one node and the other: `all`, `some` or `none`. */
  function extents(rules: readonly WithholdRule[]): string[] {
    return [node, other].map((who) => withheldOf(rules, url('CDS'), who).extent);
  }

  it.each<[string, readonly WithholdRule[], readonly string[]]>([
    ['of another type is no rule', [rule('EDS')], ['nothing', 'nothing']],
    ['without a node is for every node', [rule('CDS')], ['everything', 'everything']],
    ['with a node is for that node', [rule('CDS', { node: two })], ['nothing', 'everything']],
    ['with names holds some of it', [rule('CDS', { names: ['a'] })], ['some', 'some']],
    ['that is wider wins', [rule('CDS', { names: ['a'] }), rule('CDS', { node: one })], ['everything', 'some']],
    ['is gone once released', released([rule('CDS')], rule('CDS')), ['nothing', 'nothing']],
    ['for one node is gone with a release for all', released([rule('CDS', { node: one })], rule('CDS')), ['nothing', 'nothing']],
    [
      'for one node stays when another is released',
      released([rule('CDS', { node: one })], rule('CDS', { node: two })),
      ['everything', 'nothing'],
    ],
    [
      'for every node stays for the others when one is released',
      released([rule('CDS')], rule('CDS', { node: one })),
      ['nothing', 'everything'],
    ],
    [
      'with names is gone when all of them are released',
      released([rule('CDS', { names: ['a'] })], rule('CDS', { names: ['a', 'b'] })),
      ['nothing', 'nothing'],
    ],
    ['with names stays for the rest', released([rule('CDS', { names: ['a', 'b'] })], rule('CDS', { names: ['a'] })), ['some', 'some']],
    [
      'for every node lets a name through to one',
      released([rule('CDS')], rule('CDS', { names: ['a'], node: one })),
      ['some', 'everything'],
    ],
    ['of another type is not released', released([rule('CDS')], rule('EDS')), ['everything', 'everything']],
  ])('%s', (_, rules, expected) => expect(extents(rules)).toEqual(expected));

  it('holds all names but those that were let through', () => {
    const [lifted] = released([rule('CDS')], rule('CDS', { names: ['a'] }));
    const { holds } = withheldOf([lifted!], url('CDS'), node);
    expect([holds('a'), holds('b')]).toEqual([false, true]);
  });
});
