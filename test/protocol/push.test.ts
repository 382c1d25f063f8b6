import { describe, expect, it } from 'vitest';
import { bothVariants, ModelClient, told } from './model-client.ts';
import { resource, url, World } from './world.ts';

const everything = { CDS: { a: '1' }, EDS: { a: '1' }, LDS: { l: '1' }, RDS: { r: '1' } } as const;
const changed = { CDS: { a: '2' }, EDS: { a: '2' }, LDS: { l: '2' }, RDS: { r: '2' } } as const;

describe.each(bothVariants)('A push in %s', (variant) => {
  it('goes out as CDS, EDS, LDS, RDS, in whatever order the client asked', () => {
    const world = new World(everything);
    const client = new ModelClient(variant, world);
    for (const [type, names] of [
      ['RDS', ['r']],
      ['LDS', []],
      ['EDS', ['a']],
      ['CDS', []],
    ] as const)
      client.ackAll(client.ask(type, names));
    const sent = client.publish(world.replace(changed));
    expect(told(sent)).toEqual(['CDS a=2', 'EDS a=2', 'LDS l=2', 'RDS r=2']);
    expect(sent.map(({ cause }) => cause)).toEqual(['push', 'warming', 'push', 'push']);
  });

  it('does not go to a client that did not ask for the type', () => {
    const world = new World(everything);
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('LDS'));
    expect(told(client.publish(world.replace(changed)))).toEqual(['LDS l=2']);
  });

  it('does not go to a client whose resources stay as they are', () => {
    const world = new World({ EDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('EDS', ['a']));
    expect(client.publish(world.replace({ EDS: { a: '1', b: '2' } }))).toEqual([]);
    expect(client.publish(world.replace({ EDS: { a: '1' } }))).toEqual([]);
    expect(client.publish(world.replace({ LDS: { l: '1' } }))).toEqual([]);
  });

  it('tells a client of a resource it asked for before there was one', () => {
    const world = new World();
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('RDS', ['late']));
    expect(told(client.publish(world.replace({ RDS: { late: '1', other: '1' } })))).toEqual(['RDS late=1']);
  });

  it('that a request crosses comes after the answer and is complete', () => {
    const world = new World({ EDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('EDS', ['a']));
    world.replace({ EDS: { a: '2', b: '2' } });
    // The request sees the new snapshot before the push does.
    expect(told(client.ask('EDS', ['b']))).toEqual(['EDS b=1', 'EDS a=2 b=2']);
    expect(client.publish()).toEqual([]);
  });

  it('of CDS brings EDS after it, changed or not, or clusters would not warm', () => {
    const world = new World({ CDS: { a: '1' }, EDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.ackAll(client.ask('EDS', ['a']));
    expect(told(client.publish(world.replace({ CDS: { a: '2' } })))).toEqual(['CDS a=2', 'EDS a=1']);
  });

  it('of CDS brings no EDS to a client that asked for none, or gave it up', () => {
    const world = new World({ CDS: { a: '1' }, EDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    expect(told(client.publish(world.replace({ CDS: { a: '2' } })))).toEqual(['CDS a=2']);
    client.ackAll(client.ask('EDS', ['a']));
    client.giveUp('EDS', ['a']);
    expect(told(client.publish(world.replace({ CDS: { a: '3' } })))).toEqual(['CDS a=3']);
  });

  it('of CDS brings an endpoint that is gone too', () => {
    const world = new World({ CDS: { a: '1', b: '1' }, EDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.ackAll(client.ask('EDS', ['a', 'b']));
    const endpoints = client.publish(world.replace({ CDS: { a: '1' }, EDS: { a: '1' } }))[1];
    expect(told([endpoints!])).toEqual([variant === 'delta' ? 'EDS a=1 -b' : 'EDS a=1']);
  });

  it('that takes everything away is sent', () => {
    const world = new World({ CDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    client.ackAll(client.publish(world.replace({ CDS: {} })));
    expect(client.holds('CDS')).toEqual([]);
  });

  it('keeps duplicates that are there on purpose, and is sent when only they change', () => {
    const world = new World({ CDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    const twice = world.change({ replace: new Map([[url('CDS'), [resource('CDS', 'a', '1'), resource('CDS', 'a', 'again')]]]) });
    expect(told(client.publish(twice))).toEqual(['CDS a=1 a=again']);
    expect(told(client.publish(world.replace({ CDS: { a: '1' } })))).toEqual(['CDS a=1']);
  });

  it('never has the nonce of another response on the stream', () => {
    const world = new World(everything);
    const client = new ModelClient(variant, world);
    for (const [type, names] of [
      ['CDS', []],
      ['EDS', ['a']],
      ['LDS', []],
    ] as const)
      client.ackAll(client.ask(type, names));
    client.publish(world.replace(changed));
    expect(new Set(client.responses.map(({ nonce }) => nonce)).size).toBe(client.responses.length);
  });
});

describe('What is gone', () => {
  it('is named in delta', () => {
    const world = new World({ CDS: { a: '1', b: '1' }, RDS: { r: '1', s: '1' } });
    const client = new ModelClient('delta', world);
    client.ackAll(client.ask('CDS'));
    client.ackAll(client.ask('RDS', ['r']));
    expect(told(client.publish(world.replace({ CDS: { b: '1' }, RDS: {} })))).toEqual(['CDS -a', 'RDS -r']);
  });

  it('is left out of the whole in SotW, and passed over in silence for the other types', () => {
    const world = new World({ CDS: { a: '1', b: '1' }, RDS: { r: '1', s: '1' } });
    const client = new ModelClient('sotw', world);
    client.ackAll(client.ask('CDS'));
    client.ackAll(client.ask('RDS', ['r']));
    expect(told(client.publish(world.replace({ CDS: { b: '1' }, RDS: {} })))).toEqual(['CDS b=1']);
  });

  it('is not told to a delta client that never had it', () => {
    const world = new World({ RDS: { r: '1', s: '1' } });
    const client = new ModelClient('delta', world);
    client.ackAll(client.ask('RDS', ['r']));
    client.publish(world.replace({ RDS: { r: '1' } }));
    expect(told(client.ask('RDS', ['s']))).toEqual(['RDS']);
  });
});

describe('A SotW response', () => {
  it('of CDS, LDS and scoped routes says all there is, of the rest only what changed', () => {
    const world = new World({ CDS: { a: '1', b: '1' }, SRDS: { s: '1', t: '1' }, EDS: { a: '1', b: '1' } });
    const client = new ModelClient('sotw', world);
    client.ackAll(client.ask('SRDS'));
    client.ackAll(client.ask('EDS', ['a', 'b']));
    client.ackAll(client.ask('LDS', ['named', 'other']));
    const sent = client.publish(world.replace({ LDS: { named: '1' }, SRDS: { s: '2', t: '1' }, EDS: { a: '1', b: '2' } }));
    expect(told(sent)).toEqual(['EDS b=2', 'LDS named=1', 'SRDS s=2 t=1']);
    client.ackAll(sent);
    expect(told(client.ask('LDS', ['more']))).toEqual(['LDS named=1']);
  });

  it('is started over by a request with an empty nonce', () => {
    const client = new ModelClient('sotw', new World({ EDS: { a: '1', b: '2' } }));
    client.ask('EDS', ['a']);
    // Envoy asks again before it has seen any response.
    expect(told(client.ask('EDS', ['b']))).toEqual(['EDS a=1 b=2']);
    expect(client.eventsOf('request.received').at(-1)?.outcome).toBe('initial');
  });
});

describe('A delta response', () => {
  it('brings a name that is subscribed again, unchanged as it is', () => {
    const client = new ModelClient('delta', new World({ EDS: { a: '1' } }));
    client.ackAll(client.ask('EDS', ['a']));
    expect(told(client.ask('EDS', ['a']))).toEqual(['EDS a=1']);
    client.giveUp('EDS', ['a']);
    expect(told(client.ask('EDS', ['a']))).toEqual(['EDS a=1']);
  });

  it('follows a name given up that the wildcard still covers', () => {
    const client = new ModelClient('delta', new World({ CDS: { a: '1', b: '1' } }));
    client.ackAll(client.ask('CDS', ['*', 'a']));
    expect(told(client.giveUp('CDS', ['a']))).toEqual(['CDS a=1']);
  });

  it('is not owed to a spontaneous request that changes nothing', () => {
    const client = new ModelClient('delta', new World({ CDS: { a: '1' } }));
    client.ask('CDS');
    expect(client.ask('CDS')).toEqual([]);
    expect(client.eventsOf('request.received').at(-1)?.outcome).toBe('spontaneous');
  });

  it('brings everything when * is added to names', () => {
    const client = new ModelClient('delta', new World({ CDS: { a: '1', b: '1' } }));
    client.ackAll(client.ask('CDS', ['a']));
    expect(told(client.ask('CDS', ['*']))).toEqual(['CDS a=1 b=1']);
  });
});
