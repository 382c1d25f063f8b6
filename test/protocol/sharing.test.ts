import { describe, expect, it } from 'vitest';
import { changeSnapshot, emptySnapshot, typeState } from '../../src/protocol/snapshot.ts';
import { ModelClient, told } from './model-client.ts';
import { resource, url, World } from './world.ts';

const many = 10_000;

/** Clusters c0 … c9999. */
function bigWorld(): World {
  const world = new World();
  world.change({ replace: new Map([[url('CDS'), Array.from({ length: many }, (_, i) => resource('CDS', `c${i}`, '0'))]]) });
  return world;
}

function clients(variant: 'sotw' | 'delta', world: World, count = 2): ModelClient[] {
  return Array.from({ length: count }, () => {
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS'));
    return client;
  });
}

describe('Streams that are sent the same', () => {
  it.each(['sotw', 'delta'] as const)('share the array of resources in %s, so that its bytes are made once', (variant) => {
    const world = new World({ CDS: { a: '1', b: '1' } });
    const [one, two] = clients(variant, world);
    expect(one?.responses[0]?.resources).toBe(two?.responses[0]?.resources);
    world.replace({ CDS: { a: '2', b: '1', c: '1' } });
    const [mine] = one!.publish();
    const [yours] = two!.publish();
    expect(told([mine!])).toEqual([variant === 'sotw' ? 'CDS a=2 b=1 c=1' : 'CDS a=2 c=1']);
    expect(mine?.resources).toBe(yours?.resources);
  });

  it('share the array even with a client that asks later', () => {
    const world = new World({ CDS: { a: '1' } });
    const [early] = clients('sotw', world, 1);
    const [late] = clients('sotw', world, 1);
    expect(early?.responses[0]?.resources).toBe(late?.responses[0]?.resources);
  });
});

/** Counts how often any entry of a type's resources is visited. */
function countVisits(world: World): { readonly visits: number } {
  const resources = typeState(world.snapshot, url('CDS')).resources as Map<string, unknown>;
  const counter = { visits: 0 };
  for (const method of ['keys', 'values', 'entries', Symbol.iterator, 'forEach'] as const) {
    const original = resources[method] as (...args: unknown[]) => unknown;
    Object.defineProperty(resources, method, { value: (...args: unknown[]) => ((counter.visits += 1), original.apply(resources, args)) });
  }
  return counter;
}

describe('A delta push of one resource among ten thousand', () => {
  it('walks through all of them once for all streams, not once for each', () => {
    const world = bigWorld();
    const streams = clients('delta', world, 20);
    const before = countVisits(world);
    world.change({ set: [resource('CDS', 'c7', '1')] });
    const after = countVisits(world);
    const made = before.visits + after.visits;
    for (const stream of streams) expect(told(stream.publish())).toEqual(['CDS c7=1']);
    expect(before.visits + after.visits).toBe(made);
  });

  it('needs no walk for a stream that was sent nothing for long because nothing it wants changed', () => {
    const world = new World();
    world.change({ replace: new Map([[url('EDS'), Array.from({ length: 50 }, (_, i) => resource('EDS', `c${i}`, '0'))]]) });
    const client = new ModelClient('delta', world);
    client.ackAll(client.ask('EDS', ['c0']));
    for (let i = 1; i <= 10; i++) client.publish(world.change({ set: [resource('EDS', 'c1', `${i}`)] }));
    expect(client.state.watches.get(url('EDS'))?.held?.state).toBe(typeState(world.snapshot, url('EDS')));
  });
});

describe('A snapshot', () => {
  const clusters = (text: string): Parameters<typeof changeSnapshot>[1] => ({
    replace: new Map([[url('CDS'), [resource('CDS', 'a', text)]]]),
  });

  it('keeps the very state of a type whose content stays the same, whatever its version', () => {
    const one = changeSnapshot(emptySnapshot, clusters('1'), 'v1');
    const two = changeSnapshot(one, clusters('1'), 'v2');
    expect(typeState(two, url('CDS'))).toBe(typeState(one, url('CDS')));
    expect([two.version, two.sequence]).toEqual(['v2', 2]);
    expect(typeState(changeSnapshot(two, clusters('2'), 'v3'), url('CDS'))).not.toBe(typeState(two, url('CDS')));
  });

  it('has one empty state for a type that nothing was published of', () => {
    expect(typeState(emptySnapshot, url('CDS'))).toBe(typeState({ ...emptySnapshot, version: 'other' }, url('CDS')));
  });

  it('sets and removes single resources and leaves the rest of their type', () => {
    const world = new World({ CDS: { a: '1', b: '1', c: '1' } });
    world.change({ set: [resource('CDS', 'b', '2')], remove: new Map([[url('CDS'), ['c', 'unknown']]]) });
    expect(
      [...typeState(world.snapshot, url('CDS')).resources.values()].map(({ name, value }) => `${name}=${Buffer.from(value).toString()}`),
    ).toEqual(['a=1', 'b=2']);
  });

  it('drops the duplicates of a name that is set or removed', () => {
    const world = new World();
    world.change({ replace: new Map([[url('CDS'), ['a', 'a', 'b', 'b'].map((name) => resource('CDS', name, '1'))]]) });
    world.change({ set: [resource('CDS', 'a', '2')], remove: new Map([[url('CDS'), ['b']]]) });
    const state = typeState(world.snapshot, url('CDS'));
    expect([state.duplicates, [...state.resources.keys()]]).toEqual([[], ['a']]);
  });
});
