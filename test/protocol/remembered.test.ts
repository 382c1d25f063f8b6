import { describe, expect, it } from 'vitest';
import { emptySnapshot, typeState } from '../../src/protocol/snapshot.ts';
import { Nonces } from '../../src/session/nonces.ts';
import { ModelClient } from './model-client.ts';
import { World, type Short } from './world.ts';

const long = `type.googleapis.com/${'x'.repeat(1000)}`;

describe('What clients make up is not remembered for ever:', () => {
  it('the empty state of a type is one value, as long as not too many types are asked for, and none of an absurd name', () => {
    const state = typeState(emptySnapshot, 'type.googleapis.com/a.B');
    expect(typeState(emptySnapshot, 'type.googleapis.com/a.B')).toBe(state);
    expect(typeState(emptySnapshot, long)).not.toBe(typeState(emptySnapshot, long));
    for (let i = 0; i < 300; i++) typeState(emptySnapshot, `type.googleapis.com/made.Up${i}`);
    expect(typeState(emptySnapshot, 'type.googleapis.com/a.B')).not.toBe(state);
  });

  it('endpoints of an unknown cluster are one value for all, but for those of an absurd name', () => {
    const world = new World();
    const sent = (name: string): unknown => new ModelClient('delta', world).ask('EDS', [name])[0]?.resources[0];
    expect(sent('a')).toBe(sent('a'));
    const absurd = 'x'.repeat(1000);
    expect(sent(absurd)).not.toBe(sent(absurd));
  });

  it('nonces of a type of an absurd name are still each another', () => {
    const nonces = new Nonces();
    const first = nonces.next('v1', long, undefined);
    expect([nonces.next('v1', long, first) === first, nonces.next('v1', 'a', undefined)]).toEqual([
      false,
      nonces.next('v1', 'a', undefined),
    ]);
  });

  it('a type of an absurd name is answered all the same', () => {
    const client = new ModelClient('sotw', new World());
    expect(client.ask(long as Short, ['a'])).toHaveLength(1);
  });
});
