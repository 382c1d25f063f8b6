import { describe, expect, it } from 'vitest';
import type { Layer } from '../../src/script/command.ts';
import { url } from '../protocol/world.ts';
import { Stage } from './stage.ts';

const layer = (ttlMs: number): Layer => ({
  resources: [
    { typeUrl: url('EDS'), name: 'kept', value: Buffer.from('1'), ttlMs },
    { typeUrl: url('EDS'), name: 'for ever', value: Buffer.from('1') },
  ],
});

function stageWith(ttlMs: number): Stage {
  return new Stage({}, { layers: [layer(ttlMs)] });
}

const beatsOf = (stage: Stage): unknown[] =>
  stage.eventsOf('response.sent').flatMap(({ cause, names }) => (cause === 'heartbeat' ? [names] : []));

describe('A resource with a lifetime', () => {
  it('is kept on by a heartbeat each half of it, as long as the stream lives', () => {
    const stage = stageWith(2000);
    const client = stage.connect();
    client.ask('EDS', ['kept', 'for ever']);
    client.answer('EDS');
    stage.clock.advance(999);
    expect(beatsOf(stage)).toEqual([]);
    stage.clock.advance(1);
    expect(beatsOf(stage)).toEqual([['kept']]);
    client.answer('EDS');
    stage.clock.advance(2000);
    expect(beatsOf(stage)).toHaveLength(3);
    client.leave();
    stage.clock.advance(10_000);
    expect([beatsOf(stage).length, stage.clock.pending]).toEqual([3, 0]);
  });

  it('runs out while heartbeats are off, and is kept on when they are on again', () => {
    const stage = stageWith(2000);
    const client = stage.connect('delta');
    client.ask('EDS', ['kept']);
    stage.perform({ kind: 'heartbeats', state: 'off' });
    stage.clock.advance(10_000);
    expect(beatsOf(stage)).toEqual([]);
    stage.perform({ kind: 'heartbeats', state: 'on' });
    stage.clock.advance(1000);
    expect(beatsOf(stage)).toHaveLength(2);
  });

  it('costs nothing where there is none', () => {
    const stage = new Stage({ EDS: { a: '1' } });
    stage.connect().ask('EDS', ['a']);
    expect(stage.clock.pending).toBe(0);
  });
});
