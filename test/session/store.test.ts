import { describe, expect, it } from 'vitest';
import { Store } from '../../src/session/store.ts';
import { manualClock } from '../clock.ts';
import { node, resource, url, type Short } from '../protocol/world.ts';

const other = { ...node, id: 'other' };

function served(store: Store, who = node, type: Short = 'CDS'): string {
  return [...(store.snapshotFor(who).types.get(url(type))?.resources.values() ?? [])]
    .map(({ name, value }) => `${name}=${Buffer.from(value).toString()}`)
    .join(' ');
}

describe('What a node is served', () => {
  const base = { resources: [resource('CDS', 'a', 'base'), resource('LDS', 'l', 'base')] };
  const own = { node: { id: 'other' }, resources: [resource('CDS', 'b', 'own')] };

  it('is the base, and by type what the last layer that matches says', () => {
    const store = new Store([base, own], manualClock(), 'empty');
    expect([served(store), served(store, other), served(store, other, 'LDS')]).toEqual(['a=base', 'b=own', 'l=base']);
  });

  it('may be nothing of a type, by a layer that has the type and no resources of it', () => {
    const store = new Store([base, { node: { id: 'other' }, resources: [], types: [url('CDS')] }], manualClock(), 'empty');
    expect([served(store), served(store, other)]).toEqual(['a=base', '']);
  });

  it('has an empty base when the first layer is for some nodes only', () => {
    const store = new Store([own], manualClock(), 'empty');
    store.publish({ set: [resource('CDS', 'a', 'base')] });
    expect([served(store), served(store, other)]).toEqual(['a=base', 'b=own']);
  });

  it('is one snapshot for all nodes that match the same layers', () => {
    const store = new Store([base, own], manualClock(), 'empty');
    expect(store.snapshotFor(node)).toBe(store.snapshotFor({ ...node, id: 'third' }));
    expect(store.snapshotFor(node)).not.toBe(store.snapshotFor(other));
  });
});

describe('A publish', () => {
  it('changes one layer, counts for all, and tells what it changed', () => {
    const store = new Store(
      [{ resources: [resource('CDS', 'a', '1'), resource('CDS', 'b', '1')] }],
      manualClock(new Date('2026-11-30T08:04:45.678Z')),
      'empty',
    );
    expect(store.snapshotFor(node)).toMatchObject({ version: '2026-11-30T08:04:45Z/1', sequence: 1 });
    const published = store.publish({
      replace: new Map([
        [url('CDS'), [resource('CDS', 'a', '2')]],
        [url('LDS'), []],
      ]),
    });
    expect(published).toEqual({
      version: '2026-11-30T08:04:45Z/2',
      sequence: 2,
      published: [url('CDS'), url('LDS')],
      changed: [url('CDS')],
      names: ['a'],
      removed: ['b'],
    });
    expect(store.snapshotFor(node)).toMatchObject({ version: '2026-11-30T08:04:45Z/2', sequence: 2 });
  });

  it('to a layer that is not there is an error that says which there are', () => {
    expect(() => new Store([], manualClock(), 'empty').publish({}, 3)).toThrow('there is no layer 3. The base is 0, the last one 0');
  });

  it('of ten thousand resources at the start takes no quadratic time', () => {
    const resources = Array.from({ length: 10_000 }, (_, i) => resource('CDS', `c${i}`, '1'));
    expect(new Store([{ resources }], manualClock(), 'empty').snapshotFor(node).types.get(url('CDS'))?.resources.size).toBe(10_000);
  });

  it('gives resources a version by their content where the quirk asks for it, but for one that has its own', () => {
    const store = new Store(
      [{ resources: [resource('CDS', 'a', '1'), resource('CDS', 'b', '1'), { ...resource('CDS', 'c', '1'), version: 'mine' }] }],
      manualClock(),
      'content',
    );
    const versions = [...(store.snapshotFor(node).types.get(url('CDS'))?.resources.values() ?? [])].map(({ version }) => version);
    expect(versions[0]).toMatch(/^[0-9a-f]{16}$/);
    expect([versions[1], versions[2]]).toEqual([versions[0], 'mine']);
  });
});
