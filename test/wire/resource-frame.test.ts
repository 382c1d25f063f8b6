import { describe, expect, it } from 'vitest';
import { messageType } from '../../src/protobuf/message-type.ts';
import type { Resource } from '../../src/protocol/resource.ts';
import { deltaCodec } from '../../src/wire/delta-codec.ts';
import { sotwCodec } from '../../src/wire/sotw-codec.ts';
import { cluster, response } from './recorded-streams.ts';

const discovery = 'envoy.service.discovery.v3';

function decoded(name: string, bytes: Uint8Array): Record<string, unknown> {
  const type = messageType(`${discovery}.${name}`);
  return type.toObject(type.decode(bytes), { longs: Number });
}

/** The first resource of a response, as a `Resource` message. */
function sent(variant: 'sotw' | 'delta', resource: Resource): Record<string, unknown> {
  const { encodeResponse } = { sotw: sotwCodec, delta: deltaCodec }[variant];
  const frame = encodeResponse(response(variant, { resources: [resource] })).subarray(5);
  const [first] = decoded(variant === 'sotw' ? 'DiscoveryResponse' : 'DeltaDiscoveryResponse', frame)['resources'] as [
    Record<string, unknown>,
  ];
  if (variant === 'delta') return first;
  expect(first['typeUrl']).toBe(`type.googleapis.com/${discovery}.Resource`);
  return decoded('Resource', first['value'] as Uint8Array);
}

describe.each(['sotw', 'delta'] as const)('A resource with a lifetime in %s', (variant) => {
  const payload = cluster('c');

  it.each([
    [30_000, { seconds: 30 }],
    [1500, { seconds: 1, nanos: 500_000_000 }],
    [250, { nanos: 250_000_000 }],
  ])('of %d ms carries it beside its payload', (ttlMs, ttl) => {
    expect(sent(variant, { ...payload, ttlMs, version: 'v' })).toEqual({
      name: 'c',
      version: 'v',
      ttl,
      resource: { typeUrl: payload.typeUrl, value: Buffer.from(payload.value) },
    });
  });

  it('has no payload in a heartbeat, which is what makes it one', () => {
    const beat = sent(variant, { ...payload, ttlMs: 2000, value: new Uint8Array(0), heartbeat: true });
    expect(beat).toEqual({ name: 'c', ttl: { seconds: 2 } });
  });
});

it('A resource carries its aliases in delta', () => {
  expect(sent('delta', { ...cluster('c'), aliases: ['r/a', 'r/b'] })).toMatchObject({ name: 'c', aliases: ['r/a', 'r/b'] });
});
