import { describe, expect, it } from 'vitest';
import { messageType } from '../../src/protobuf/message-type.ts';
import type { Resource } from '../../src/protocol/resource.ts';
import { resourceType, resourceTypes, TypeUrl } from '../../src/protocol/resource-type.ts';
import { bothVariants, ModelClient, told } from './model-client.ts';
import { resource, url, World, type Short } from './world.ts';

const strange = 'type.googleapis.com/example.Strange' as Short;

describe.each(bothVariants)('What is not served, in %s:', (variant) => {
  it('endpoints of an unknown cluster are an empty assignment, as istiod has them, with which the cluster is warm', () => {
    const client = new ModelClient(variant, new World({ EDS: { a: '1' } }));
    const [response] = client.ask('EDS', ['a', 'unknown']);
    expect(told(response ? [response] : [])).toEqual(['EDS a=1 unknown=empty']);
    const { value } = response?.resources[1] as Resource;
    const type = messageType('envoy.config.endpoint.v3.ClusterLoadAssignment');
    expect(type.toObject(type.decode(value))).toEqual({ clusterName: 'unknown' });
  });

  it('a long name is encoded whole', () => {
    const name = `outbound|80||${'x'.repeat(300)}`;
    const client = new ModelClient(variant, new World());
    const type = messageType('envoy.config.endpoint.v3.ClusterLoadAssignment');
    expect(type.toObject(type.decode(client.ask('EDS', [name])[0]?.resources[0]?.value ?? new Uint8Array()))).toEqual({
      clusterName: name,
    });
  });

  it('endpoints that come later replace the empty assignment', () => {
    const world = new World({ EDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('EDS', ['a', 'late']));
    world.change({ set: [resource('EDS', 'late', '2')] });
    expect(told(client.publish())).toEqual(['EDS late=2']);
  });

  it('endpoints of an unknown cluster can be kept silent about', () => {
    const client = new ModelClient(variant, new World({ EDS: { a: '1' } }), { quirks: { 'unknown-endpoints': 'silent' } });
    expect(told(client.ask('EDS', ['a', 'unknown']))).toEqual(['EDS a=1']);
  });

  it('withheld endpoints stay withheld, unknown ones too', () => {
    const typeUrl = url('EDS');
    const client = new ModelClient(variant, new World(), { rules: [{ typeUrl }] });
    expect(client.ask('EDS', ['unknown'])).toEqual([]);
    expect(told(client.setRules([]))).toEqual(['EDS unknown=empty']);
  });

  it('a name table that is not there is not answered until it is', () => {
    const world = new World();
    const client = new ModelClient(variant, world);
    const tables = 'NDS' as Short;
    expect(client.ask(tables)).toEqual([]);
    expect(client.eventsOf('response.withheld')).toEqual([]);
    world.change({ set: [{ typeUrl: TypeUrl.nameTable, name: '', value: Buffer.from('t') }] });
    expect(told(client.publish())).toEqual(['NDS =t']);
  });

  it('a type in no table is answered with nothing', () => {
    const client = new ModelClient(variant, new World());
    expect(told(client.ask(strange))).toEqual(['Strange']);
  });

  it('a type in no table is not answered, or ends the stream as with istiod, if the quirk says so', () => {
    const silent = new ModelClient(variant, new World(), { quirks: { 'unknown-type': 'ignore' } });
    expect([silent.ask(strange, ['a']), silent.closed]).toEqual([[], undefined]);
    const strict = new ModelClient(variant, new World(), { quirks: { 'unknown-type': 'close' } });
    expect(strict.ask(strange, ['a'])).toEqual([]);
    expect(strict.closed).toMatchObject({ code: 16 });
  });

  it('a type in no table that is served is a type like any other', () => {
    const world = new World();
    world.change({ set: [{ typeUrl: strange, name: 'a', value: Buffer.from('1') }] });
    const client = new ModelClient(variant, world, { quirks: { 'unknown-type': 'close' } });
    expect(told(client.ask(strange, ['a']))).toEqual(['Strange a=1']);
  });
});

describe('A name that is not served, in delta,', () => {
  it('is kept silent about, as by istiod, or is named as removed, as the specification has it', () => {
    const silent = new ModelClient('delta', new World({ RDS: { r: '1' } }));
    expect(told(silent.ask('RDS', ['r', 'no']))).toEqual(['RDS r=1']);
    const spec = new ModelClient('delta', new World({ RDS: { r: '1' } }), { quirks: { 'missing-name': 'removed' } });
    expect(told(spec.ask('RDS', ['r', 'no']))).toEqual(['RDS r=1 -no']);
  });

  it('is found by an alias of what is served, also when that changes', () => {
    const host = (text: string): Resource => ({
      typeUrl: url('VHDS'),
      name: 'web/shop',
      value: Buffer.from(text),
      aliases: ['web/shop.demo'],
    });
    const world = new World();
    world.change({ set: [host('1')] });
    const client = new ModelClient('delta', world, { quirks: { 'missing-name': 'removed' } });
    const first = client.ask('VHDS' as Short, ['web/shop.demo']);
    expect(told(first)).toEqual(['VHDS web/shop=1']);
    world.change({ set: [host('2')] });
    expect(told(client.publish())).toEqual(['VHDS web/shop=2']);
  });
});

describe.each(bothVariants)('What is served on demand alone, in %s,', (variant) => {
  const other = (text: string): Resource => ({ typeUrl: url('CDS'), name: 'other', value: Buffer.from(text), onDemand: true });

  it('is not part of a wildcard, and comes, changes and goes for who names it', () => {
    const world = new World({ CDS: { a: '1' } });
    world.change({ set: [other('1')] });
    const all = new ModelClient(variant, world);
    const one = new ModelClient(variant, world);
    expect(told(all.ackAll(all.ask('CDS')))).toEqual(['CDS a=1']);
    expect(told(one.ackAll(one.ask('CDS', ['*', 'other'])))).toEqual(['CDS a=1 other=1']);
    world.change({ set: [other('2')] });
    expect(told(all.publish())).toEqual([]);
    expect(told(one.ackAll(one.publish()))).toEqual([variant === 'sotw' ? 'CDS a=1 other=2' : 'CDS other=2']);
    world.change({ remove: new Map([[url('CDS'), ['other']]]) });
    expect(told(all.publish())).toEqual([]);
    expect(told(one.publish())).toEqual([variant === 'sotw' ? 'CDS a=1' : 'CDS -other']);
  });

  it('comes beside the wildcard when it is named later', () => {
    const world = new World({ CDS: { a: '1' } });
    world.change({ set: [other('1')] });
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('CDS', ['*']));
    expect(told(client.ask('CDS', ['other']))).toEqual([variant === 'sotw' ? 'CDS a=1 other=1' : 'CDS other=1']);
  });
});

describe('A resource with a lifetime', () => {
  const kept = (typeUrl: string, ttlMs?: number): Resource => ({
    typeUrl,
    name: 'kept',
    value: Buffer.from('1'),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  });

  it.each(bothVariants)(
    'of a type that is not whole is kept on by a heartbeat without payload, under the version it has (%s)',
    (variant) => {
      const world = new World();
      world.change({ set: [kept(url('EDS'), 2000), { ...kept(url('EDS')), name: 'for ever' }] });
      const client = new ModelClient(variant, world);
      const [first] = client.ask('EDS', ['kept', 'for ever']);
      const [beat, ...more] = client.take({ kind: 'heartbeat', typeUrl: url('EDS') });
      expect(beat).toMatchObject({ cause: 'heartbeat', version: first?.version, removed: [] });
      expect(beat?.resources.map(({ name, heartbeat, value }) => [name, heartbeat, value.length])).toEqual([['kept', true, 0]]);
      expect([beat?.nonce === first?.nonce, more]).toEqual([false, []]);
      client.ack(beat as NonNullable<typeof beat>);
      expect(client.eventsOf('response.acked').at(-1)).toMatchObject({ nonce: beat?.nonce });
    },
  );

  it('of a whole type is sent again with all others in SotW, and alone without payload in delta', () => {
    const heartbeat = (variant: 'sotw' | 'delta'): unknown => {
      const world = new World({ CDS: { a: '1' } });
      world.change({ set: [kept(url('CDS'), 2000)] });
      const client = new ModelClient(variant, world);
      client.ackAll(client.ask('CDS'));
      return client.take({ kind: 'heartbeat', typeUrl: url('CDS') })[0]?.resources.map(({ name, heartbeat }) => [name, heartbeat]);
    };
    expect(heartbeat('sotw')).toEqual([
      ['a', undefined],
      ['kept', undefined],
    ]);
    expect(heartbeat('delta')).toEqual([['kept', true]]);
  });

  it('is not kept on where there is none, or where it is withheld', () => {
    const world = new World({ EDS: { a: '1' } });
    world.change({ set: [kept(url('EDS'), 2000)] });
    const without = new ModelClient('delta', world);
    without.ask('EDS', ['a']);
    expect(without.take({ kind: 'heartbeat', typeUrl: url('EDS') })).toEqual([]);
    const held = new ModelClient('delta', world);
    held.ask('EDS', ['kept']);
    held.setRules([{ typeUrl: url('EDS'), names: ['kept'] }]);
    expect(held.take({ kind: 'heartbeat', typeUrl: url('EDS') })).toEqual([]);
  });
});

it('Every type has a place of its own in a push, SRDS beside RDS', () => {
  const orders = resourceTypes.filter(({ short }) => short !== 'SRDS').map(({ order }) => order);
  expect(orders).toEqual([...new Set(orders)].sort((a, b) => a - b));
  expect(['ADDRESS', 'WORKLOAD', 'WADS'].map((short) => resourceType(url(short)).wildcard)).toEqual([true, true, true]);
});
