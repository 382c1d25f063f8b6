import { describe, expect, it } from 'vitest';
import type { ClientRequest } from '../../src/protocol/request.ts';
import { bothVariants, ModelClient, told } from './model-client.ts';
import { node, World } from './world.ts';

const everything = { CDS: { a: '1' }, EDS: { a: '1' }, LDS: { l: '1' }, RDS: { r: '1' } } as const;

describe.each(bothVariants)('A question about the server itself in %s', (variant) => {
  const question = (nonce: string): ClientRequest => ({
    typeUrl: 'istio.io/debug/syncz',
    nonce,
    node,
    ...(variant === 'sotw'
      ? { variant, version: '', names: [] }
      : { variant, subscribe: [], unsubscribe: [], initialVersions: new Map<string, string>() }),
  });

  it('is handed on each time, also with a nonce, and is never watched', () => {
    const world = new World();
    const client = new ModelClient(variant, world);
    for (const nonce of ['2026-11-30 08:00:00 +0000 UTC', '', 'other'])
      client.take({ kind: 'request', request: question(nonce), snapshot: world.snapshot });
    expect(client.asked).toEqual(['istio.io/debug/syncz', 'istio.io/debug/syncz', 'istio.io/debug/syncz']);
    expect(client.eventsOf('request.received').map(({ outcome }) => outcome)).toEqual(['initial', 'initial', 'initial']);
    expect(client.state.watches.size).toBe(0);
    expect(client.responses).toEqual([]);
  });

  it('tells who asks', () => {
    const world = new World();
    const client = new ModelClient(variant, world);
    const { node: _, ...nameless } = question('');
    client.take({ kind: 'request', request: nameless, snapshot: world.snapshot });
    expect(client.closed).toEqual({ code: 3, message: 'missing node information' });
    expect(client.asked).toEqual([]);
  });
});

describe.each(bothVariants)('A push of everything in %s', (variant) => {
  it('sends anew what has not changed, EDS once', () => {
    const world = new World(everything);
    const client = new ModelClient(variant, world);
    for (const [type, names] of [
      ['CDS', []],
      ['EDS', ['a']],
      ['LDS', []],
      ['RDS', ['r']],
    ] as const)
      client.ackAll(client.ask(type, names));
    const sent = client.take({ kind: 'push-all', snapshot: world.change({}) });
    expect(told(sent)).toEqual(['CDS a=1', 'EDS a=1', 'LDS l=1', 'RDS r=1']);
    expect(new Set(sent.map(({ version }) => version))).toEqual(new Set([world.snapshot.version]));
  });

  it('sends EDS to a client that asks for nothing else', () => {
    const world = new World(everything);
    const client = new ModelClient(variant, world);
    client.ackAll(client.ask('EDS', ['a']));
    expect(told(client.take({ kind: 'push-all', snapshot: world.change({}) }))).toEqual(['EDS a=1']);
  });

  it('does not send what is withheld, nor what was never asked for', () => {
    const world = new World(everything);
    const client = new ModelClient(variant, world, { rules: [{ typeUrl: 'type.googleapis.com/envoy.config.listener.v3.Listener' }] });
    client.ackAll(client.ask('CDS'));
    client.ask('LDS');
    expect(told(client.take({ kind: 'push-all', snapshot: world.change({}) }))).toEqual(['CDS a=1']);
  });
});
