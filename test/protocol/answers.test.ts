import { describe, expect, it } from 'vitest';
import { specQuirks } from '../../src/protocol/quirks.ts';
import { bothVariants, ModelClient, told } from './model-client.ts';
import { url, World } from './world.ts';

/** Sends the first response of the type and accepts it. */
function settled(client: ModelClient, type: 'CDS' | 'EDS', names: readonly string[] = []): void {
  client.ackAll(client.ask(type, names));
}

describe.each(bothVariants)('An answer to a response in %s', (variant) => {
  it('that accepts it is an ACK, once, and brings nothing', () => {
    const client = new ModelClient(variant, new World({ CDS: { a: '1' } }));
    const [sent] = client.ask('CDS');
    expect(client.ack(sent!)).toEqual([]);
    expect(client.eventsOf('request.received').map(({ outcome }) => outcome)).toEqual(['initial', 'ack']);
    expect(client.eventsOf('response.acked')).toMatchObject([{ type: 'CDS', version: 'v1', nonce: sent?.nonce }]);
  });

  it('that rejects it is a NACK with the words of the client, and brings nothing', () => {
    const client = new ModelClient(variant, new World({ CDS: { a: 'bad' } }));
    const [sent] = client.ask('CDS');
    expect(client.nack(sent!, 'a is no good')).toEqual([]);
    expect(client.eventsOf('response.nacked')).toMatchObject([{ code: 13, text: 'a is no good', nonce: sent?.nonce, version: 'v1' }]);
    expect(client.eventsOf('response.acked')).toEqual([]);
  });

  it('is a NACK by its error alone: a request with the newest nonce and an old version is an ACK', () => {
    const world = new World({ CDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    settled(client, 'CDS');
    world.replace({ CDS: { a: '2' } });
    const [push] = client.publish();
    client.ask('CDS', [], { nonce: push?.nonce ?? '' });
    expect(client.eventsOf('response.acked').map(({ version }) => version)).toEqual(['v1', 'v2']);
  });

  it('that comes after a newer response is stale, and still says what became of the older one', () => {
    const world = new World({ CDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    const [first] = client.ask('CDS');
    world.replace({ CDS: { a: '2' } });
    const [second] = client.publish();
    world.replace({ CDS: { a: '3' } });
    const [third] = client.publish();
    client.ack(first!);
    client.nack(second!, 'not 2');
    client.ack(third!);
    expect(client.eventsOf('request.received').map(({ outcome }) => outcome)).toEqual(['initial', 'stale', 'stale', 'ack']);
    expect(client.eventsOf('response.acked').map(({ version }) => version)).toEqual(['v1', 'v3']);
    expect(client.eventsOf('response.nacked').map(({ version, text }) => `${version} ${text}`)).toEqual(['v2 not 2']);
  });

  it('to a nonce of nobody says nothing of any response', () => {
    const client = new ModelClient(variant, new World({ CDS: { a: '1' } }));
    client.ask('CDS');
    expect(client.ask('CDS', [], { nonce: 'of another stream' })).toEqual([]);
    expect(client.eventsOf('response.acked')).toEqual([]);
    expect(client.eventsOf('request.received').at(-1)?.outcome).toBe('stale');
  });

  it('cannot be one before there was a response: the request is heard, whatever nonce it brings', () => {
    const client = new ModelClient(variant, new World({ EDS: { a: '1', b: '2' } }), { rules: [{ typeUrl: url('EDS') }] });
    client.ask('EDS', ['a'], { nonce: 'of another stream' });
    client.ask('EDS', ['b'], { nonce: 'of another stream' });
    expect(told(client.setRules([]))).toEqual(['EDS a=1 b=2']);
  });

  it('may ask for more, which is answered with what was added', () => {
    const client = new ModelClient(variant, new World({ EDS: { a: '1', b: '2' } }));
    const [sent] = client.ask('EDS', ['a']);
    expect(told(client.ack(sent!, ['b']))).toEqual(['EDS b=2']);
    expect(client.eventsOf('response.acked')).toHaveLength(1);
  });

  it('never makes the server repeat what was rejected', () => {
    const world = new World({ CDS: { a: 'bad' }, LDS: {} });
    const client = new ModelClient(variant, world);
    client.nack(client.ask('CDS')[0]!);
    world.replace({ LDS: { l: '1' } });
    expect(client.publish()).toEqual([]);
    world.replace({ CDS: { a: 'bad' } });
    expect(client.publish()).toEqual([]);
    expect(client.setRules([])).toEqual([]);
  });

  it('that rejects is made up for by the fix, and the good part of what was rejected comes along', () => {
    const world = new World({ CDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    settled(client, 'CDS');
    world.replace({ CDS: { a: 'bad', b: 'good' } });
    client.nack(client.publish()[0]!);
    world.replace({ CDS: { a: '2', b: 'good' } });
    client.ackAll(client.publish());
    expect(client.holds('CDS')).toEqual(['a=2', 'b=good']);
  });

  it('that rejects is made up for by the old config too, though the client says it holds that very version', () => {
    const world = new World({ EDS: { a: '1' } });
    const client = new ModelClient(variant, world);
    settled(client, 'EDS', ['a']);
    world.replace({ EDS: { a: 'bad' } });
    client.nack(client.publish()[0]!);
    world.replace({ EDS: { a: '1' } });
    expect(told(client.publish())).toEqual(['EDS a=1']);
  });

  it('that rejects one of two responses leaves no gap when the other was accepted', () => {
    const world = new World({ EDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    settled(client, 'EDS', ['a', 'b']);
    world.replace({ EDS: { a: '2', b: '1' } });
    const [first] = client.publish();
    world.replace({ EDS: { a: '2', b: '2' } });
    const [second] = client.publish();
    client.nack(first!);
    client.ack(second!);
    world.replace({ EDS: { a: '2', b: '3' } });
    client.ackAll(client.publish());
    expect(client.holds('EDS')).toEqual(['a=2', 'b=3']);
  });

  it('that rejects what was replaced already makes nothing be sent twice', () => {
    const world = new World({ EDS: { a: '1', b: '1' } });
    const client = new ModelClient(variant, world);
    settled(client, 'EDS', ['a', 'b']);
    const [bad] = client.publish(world.replace({ EDS: { a: 'bad', b: '1' } }));
    const [fix] = client.publish(world.replace({ EDS: { a: '2', b: '1' } }));
    client.nack(bad!);
    client.ack(fix!);
    expect(told(client.publish(world.replace({ EDS: { a: '2', b: '2' } })))).toEqual(['EDS b=2']);
  });

  it('that rejects leaves alone what is not wanted: a change of another resource is no news', () => {
    const world = new World({ EDS: { a: 'bad', other: '1' } });
    const client = new ModelClient(variant, world);
    client.nack(client.ask('EDS', ['a'])[0]!);
    world.replace({ EDS: { a: 'bad', other: '2' } });
    expect(client.publish()).toEqual([]);
  });

  it('that rejects and asks for more is ignored as by istiod, and heard as the specification has it', () => {
    const ask = (quirks = {}): string[] => {
      const client = new ModelClient(variant, new World({ EDS: { a: '1', b: '2' } }), { quirks });
      return told(client.nack(client.ask('EDS', ['a'])[0]!, 'no', ['b']));
    };
    expect(ask()).toEqual([]);
    expect(ask(specQuirks)).toEqual(['EDS b=2']);
  });
});

describe('A request with a stale nonce that asks for more', () => {
  function stale(variant: 'sotw' | 'delta', quirks = {}): { client: ModelClient; answer: string[]; newest: string[] } {
    const world = new World({ EDS: { a: '1', b: '2' } });
    const client = new ModelClient(variant, world, { quirks });
    const [first] = client.ask('EDS', ['a']);
    world.replace({ EDS: { a: '3', b: '2' } });
    const [second] = client.publish();
    return { client, answer: told(client.ack(first!, ['b'])), newest: told(client.ack(second!)) };
  }

  it('is not answered in SotW, where the next answer repeats the subscription', () => {
    expect(stale('sotw')).toMatchObject({ answer: [], newest: ['EDS b=2'] });
    expect(stale('sotw', specQuirks)).toMatchObject({ answer: [], newest: ['EDS b=2'] });
  });

  it('is lost in delta as in istiod, and honoured as the specification has it', () => {
    expect(stale('delta')).toMatchObject({ answer: [], newest: [] });
    expect(stale('delta', specQuirks)).toMatchObject({ answer: ['EDS b=2'] });
  });
});

describe('In SotW a nonce that was answered already', () => {
  it('is no second ACK when the client asks for more', () => {
    const client = new ModelClient('sotw', new World({ EDS: { a: '1', b: '2' } }));
    client.ackAll(client.ask('EDS', ['a']));
    expect(told(client.ask('EDS', ['b']))).toEqual(['EDS b=2']);
    expect(client.eventsOf('response.acked')).toHaveLength(1);
    expect(client.eventsOf('request.received').map(({ outcome }) => outcome)).toEqual(['initial', 'ack', 'spontaneous']);
  });

  it('does not turn a rejection into an ACK', () => {
    const client = new ModelClient('sotw', new World({ EDS: { a: 'bad', b: '2' } }));
    client.nack(client.ask('EDS', ['a'])[0]!);
    expect(told(client.ask('EDS', ['b']))).toEqual(['EDS b=2']);
    expect(client.eventsOf('response.acked')).toEqual([]);
  });
});
