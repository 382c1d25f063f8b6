import { describe, expect, it } from 'vitest';
import { bothVariants, ModelClient, told } from './model-client.ts';
import { World } from './world.ts';

describe.each(bothVariants)('The first request of a type in %s', (variant) => {
  it('is answered with everything when it is for everything', () => {
    const client = new ModelClient(variant, new World({ CDS: { a: '1', b: '2' } }));
    expect(told(client.ask('CDS'))).toEqual(['CDS a=1 b=2']);
    expect(client.eventsOf('request.received')).toMatchObject([{ outcome: 'initial', type: 'CDS', variant }]);
  });

  it('is answered with what was named, and no more', () => {
    const client = new ModelClient(variant, new World({ EDS: { a: '1', b: '2', c: '3' } }));
    expect(told(client.ask('EDS', ['c', 'a']))).toEqual(['EDS c=3 a=1']);
  });

  it('is answered when there is nothing to send, or Envoy would wait for ever', () => {
    const client = new ModelClient(variant, new World());
    expect(told(client.ask('CDS'))).toEqual(['CDS']);
    expect(told(client.ask('RDS', ['unknown']))).toEqual(['RDS']);
  });

  it('carries the newest version and a nonce of its own', () => {
    const world = new World({ CDS: { a: '1' } });
    world.replace({ LDS: { l: '1' } });
    const client = new ModelClient(variant, world);
    const [clusters] = client.ask('CDS');
    const [listeners] = client.ask('LDS');
    expect([clusters?.version, listeners?.version]).toEqual(['v2', 'v2']);
    expect(clusters?.nonce).not.toBe(listeners?.nonce);
    expect([clusters?.cause, clusters?.sequence]).toEqual(['reply', 2]);
  });

  it('is initial even if it brings a nonce, as that of istioctl does, and is answered', () => {
    const client = new ModelClient(variant, new World({ CDS: { a: '1' } }));
    expect(told(client.ask('CDS', [], { nonce: '2026-11-30 08:04:45' }))).toEqual(['CDS a=1']);
    expect(client.eventsOf('response.acked')).toEqual([]);
  });

  it('ends the stream with status 3 when nothing says who asks', () => {
    const client = new ModelClient(variant, new World());
    expect(client.ask('CDS', [], { anonymous: true })).toEqual([]);
    expect(client.closed).toEqual({ code: 3, message: 'missing node information' });
    expect(client.events).toEqual([]);
  });

  it('ends the stream when the node id has not four parts and the quirk asks for it', () => {
    const own = { id: 'envoy-1', cluster: 'c', metadata: {} };
    const strict = new ModelClient(variant, new World(), { node: own, quirks: { 'node-id': 'four-parts' } });
    strict.ask('CDS');
    expect(strict.closed).toEqual({ code: 3, message: 'missing parts in the service node "envoy-1"' });
    const lenient = new ModelClient(variant, new World(), { node: own });
    expect(told(lenient.ask('CDS'))).toEqual(['CDS']);
  });

  it('is the only one that has to carry the node', () => {
    const client = new ModelClient(variant, new World({ LDS: { l: '1' } }));
    client.ask('CDS');
    expect(told(client.ask('LDS', [], { anonymous: true }))).toEqual(['LDS l=1']);
    expect(client.eventsOf('request.received').map(({ node }) => node)).toEqual([client.state.node?.id, client.state.node?.id]);
  });

  it('of a type that is only ever reported is noted and never answered', () => {
    const world = new World({ HEALTH: { h: '1' } });
    const client = new ModelClient(variant, world);
    expect(client.ask('HEALTH')).toEqual([]);
    world.replace({ HEALTH: { h: '2' } });
    expect(client.publish()).toEqual([]);
    expect(client.setRules([])).toEqual([]);
    expect(client.eventsOf('request.received')).toMatchObject([{ type: 'HEALTH' }]);
  });
});

describe('A first request for no names', () => {
  it('of a type that has no wildcard is answered in delta, and gives the type up in SotW, as in istiod', () => {
    const world = new World({ EDS: { a: '1' } });
    expect(told(new ModelClient('delta', world).ask('EDS'))).toEqual(['EDS']);
    expect(told(new ModelClient('sotw', world).ask('EDS'))).toEqual([]);
  });

  it('that gives up * as well asks for nothing in delta, as an on-demand client does', () => {
    const client = new ModelClient('delta', new World({ CDS: { a: '1' } }));
    const request = { variant: 'delta', typeUrl: 'CDS', nonce: '', initialVersions: new Map<string, string>() } as const;
    const typeUrl = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
    const input = {
      ...request,
      typeUrl,
      subscribe: ['*'],
      unsubscribe: ['*'],
      ...(client.state.node ? {} : { node: { id: 'n', cluster: '', metadata: {} } }),
    };
    expect(told(client.take({ kind: 'request', request: input, snapshot: client.world.snapshot }))).toEqual(['CDS']);
    expect(told(client.ask('CDS', ['a']))).toEqual(['CDS a=1']);
  });
});
