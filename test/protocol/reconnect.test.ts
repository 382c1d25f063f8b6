import { describe, expect, it } from 'vitest';
import { specQuirks } from '../../src/protocol/quirks.ts';
import { changeSnapshot, emptySnapshot } from '../../src/protocol/snapshot.ts';
import { bothVariants, ModelClient, told } from './model-client.ts';
import { url, World } from './world.ts';

describe.each(bothVariants)('After a reconnect in %s', (variant) => {
  it('everything is sent again, the same version or not, and needs its own ACK', () => {
    const world = new World({ CDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    const [sent] = client.ask('CDS', [], { held: { a: '' } });
    expect(told([sent!])).toEqual(['CDS a=1']);
    expect(client.eventsOf('response.acked')).toEqual([]);
    client.ack(sent!);
    expect(client.eventsOf('response.acked')).toHaveLength(1);
  });

  it('types may come in any order', () => {
    const client = new ModelClient(variant, new World({ CDS: { a: '1' }, EDS: { a: '1' }, LDS: { l: '1' } }));
    expect(told(client.ask('LDS'))).toEqual(['LDS l=1']);
    expect(told(client.ask('EDS', ['a']))).toEqual(['EDS a=1']);
    expect(told(client.ask('CDS'))).toEqual(['CDS a=1', 'EDS a=1']);
  });
});

describe('A delta client that brings what it holds', () => {
  it('is told what is gone', () => {
    const client = new ModelClient('delta', new World({ CDS: { a: '1' }, EDS: { a: '1' } }));
    expect(told(client.ask('CDS', [], { held: { a: '', old: '' } }))).toEqual(['CDS a=1 -old']);
    expect(told(client.ask('EDS', ['a', 'old'], { held: { a: '', old: '' } }))).toEqual(['EDS a=1 -old']);
    expect(client.eventsOf('request.received')[0]?.held).toEqual(['a', 'old']);
  });

  it('is not told of a name that it no longer wants', () => {
    const client = new ModelClient('delta', new World({ EDS: { a: '1' } }));
    expect(told(client.ask('EDS', ['a'], { held: { a: '', old: '' } }))).toEqual(['EDS a=1']);
  });

  it('is told what is gone when its first answer was withheld, by what it brought', () => {
    const client = new ModelClient('delta', new World({ CDS: { a: '1' } }), { rules: [{ typeUrl: url('CDS') }] });
    client.ask('CDS', [], { held: { a: '', old: '' } });
    expect(told(client.setRules([]))).toEqual(['CDS a=1 -old']);
  });

  it('is told that a withheld name is gone once it is released', () => {
    const client = new ModelClient('delta', new World({ CDS: { a: '1' } }), { rules: [{ typeUrl: url('CDS'), names: ['old'] }] });
    expect(told(client.ask('CDS', [], { held: { a: '', old: '' } }))).toEqual(['CDS a=1']);
    expect(told(client.setRules([]))).toEqual(['CDS -old']);
  });

  it('is spared what it has in the same version, where resources have versions', () => {
    const world = new World();
    const [a, b] = ['a', 'b'].map((name) => ({ typeUrl: url('CDS'), name, value: Buffer.from('1'), version: `${name}1` }));
    world.snapshot = changeSnapshot(emptySnapshot, { set: [a!, b!] }, 'v1');
    const client = new ModelClient('delta', world, { quirks: specQuirks });
    expect(told(client.ask('CDS', [], { held: { a: 'a1', b: 'b0' } }))).toEqual(['CDS b=1']);
    const fresh = new ModelClient('delta', world, { quirks: specQuirks });
    expect(told(fresh.ask('CDS', [], { held: { a: 'a1', b: 'b1' } }))).toEqual(['CDS']);
  });
});
