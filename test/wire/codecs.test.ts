import { describe, expect, it } from 'vitest';
import { messageType } from '../../src/protobuf/message-type.ts';
import type { Resource } from '../../src/protocol/resource.ts';
import type { Response } from '../../src/protocol/response.ts';
import { deltaCodec } from '../../src/wire/delta-codec.ts';
import { maxFields } from '../../src/wire/message-reader.ts';
import { sotwCodec } from '../../src/wire/sotw-codec.ts';
import type { Message } from './raw-client.ts';
import { cluster, clusterType, response } from './recorded-streams.ts';

const discovery = 'envoy.service.discovery.v3';
const codecs = { sotw: sotwCodec, delta: deltaCodec } as const;
const requestNames = { sotw: `${discovery}.DiscoveryRequest`, delta: `${discovery}.DeltaDiscoveryRequest` } as const;
const responseNames = { sotw: `${discovery}.DiscoveryResponse`, delta: `${discovery}.DeltaDiscoveryResponse` } as const;

function bytesOf(variant: 'sotw' | 'delta', message: Message): Buffer {
  const type = messageType(requestNames[variant]);
  return Buffer.from(type.encode(type.fromObject(message)).finish());
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/** As Envoy sends it, with fields that the core does not need. */
const nodeMessage = {
  id: 'sidecar~10.0.0.1~me.demo~demo.svc.cluster.local',
  cluster: 'me.demo',
  metadata: {
    fields: {
      NAMESPACE: { stringValue: 'demo' },
      PORT: { numberValue: 15021.5 },
      READY: { boolValue: true },
      NOTHING: { nullValue: 0 },
      LABELS: { structValue: { fields: { app: { stringValue: 'me' }, __proto: { stringValue: 'x' } } } },
      PILOT_SAN: { listValue: { values: [{ stringValue: 'a' }, { listValue: { values: [] } }, { structValue: {} }] } },
    },
  },
  dynamicParameters: { x: { params: { a: 'b' } } },
  locality: { region: 'r', zone: 'z', subZone: 's' },
  userAgentName: 'envoy',
  userAgentBuildVersion: {
    version: { majorNumber: 1, minorNumber: 40, patch: 2 },
    metadata: { fields: { 'build.type': { stringValue: 'RELEASE' } } },
  },
  extensions: [{ name: 'an.extension', category: 'a', typeDescriptor: 'b', disabled: true, typeUrls: ['t'] }],
  clientFeatures: ['envoy.lb.does_not_support_overprovisioning'],
  listeningAddresses: [{ socketAddress: { address: '0.0.0.0', portValue: 80 } }],
};
const node = {
  id: nodeMessage.id,
  cluster: 'me.demo',
  metadata: { NAMESPACE: 'demo', PORT: 15021.5, READY: true, NOTHING: null, LABELS: { app: 'me', __proto: 'x' }, PILOT_SAN: ['a', [], {}] },
  locality: { region: 'r', zone: 'z', subZone: 's' },
  userAgent: 'envoy 1.40.2',
};
const errorDetail = { code: 13, message: 'no good – wirklich', details: [{ typeUrl: 'x', value: Buffer.from('y') }] };
const locator = { name: 'l', dynamicParameters: { a: 'b' } };

describe('a message of very many fields', () => {
  it('is refused, whatever they are and wherever they stand', () => {
    const empty = Buffer.alloc(2 * maxFields + 2, Buffer.from([(15 << 3) | 2, 0]));
    const inNode = Buffer.concat([Buffer.from([(2 << 3) | 2]), varint(empty.length), empty]);
    for (const bytes of [empty, inNode]) expect(() => sotwCodec.decodeRequest(bytes)).toThrow(/more than 200000 fields/);
    expect(sotwCodec.decodeRequest(empty.subarray(2))).toHaveProperty('names', []);
  });
});

describe('a request on the wire', () => {
  it('is read as the descriptors write it, in SotW', () => {
    const message = {
      versionInfo: 'v0',
      node: nodeMessage,
      resourceNames: ['a', 'b', ''],
      typeUrl: clusterType,
      responseNonce: 'n0',
      errorDetail,
      resourceLocators: [locator],
    };
    expect(sotwCodec.decodeRequest(bytesOf('sotw', message))).toEqual({
      variant: 'sotw',
      version: 'v0',
      node,
      names: ['a', 'b', ''],
      typeUrl: clusterType,
      nonce: 'n0',
      errorDetail: { code: 13, message: 'no good – wirklich' },
    });
  });

  it('is read as the descriptors write it, in delta', () => {
    const message = {
      node: nodeMessage,
      typeUrl: clusterType,
      resourceNamesSubscribe: ['a', '*'],
      resourceNamesUnsubscribe: ['b'],
      initialResourceVersions: { a: '', __proto: 'v7' },
      responseNonce: 'n0',
      errorDetail,
      resourceLocatorsSubscribe: [locator],
      resourceLocatorsUnsubscribe: [locator],
    };
    expect(deltaCodec.decodeRequest(bytesOf('delta', message))).toEqual({
      variant: 'delta',
      node,
      typeUrl: clusterType,
      subscribe: ['a', '*'],
      unsubscribe: ['b'],
      initialVersions: new Map(Object.entries({ a: '', __proto: 'v7' })),
      nonce: 'n0',
      errorDetail: { code: 13, message: 'no good – wirklich' },
    });
  });

  it.each(['sotw', 'delta'] as const)(
    'has neither node nor error detail if it brings none, and an empty error detail is one (%s)',
    (variant) => {
      expect(codecs[variant].decodeRequest(Buffer.alloc(0))).not.toHaveProperty('node');
      expect(codecs[variant].decodeRequest(Buffer.alloc(0))).not.toHaveProperty('errorDetail');
      expect(codecs[variant].decodeRequest(bytesOf(variant, { errorDetail: {} })).errorDetail).toEqual({ code: 0, message: '' });
    },
  );

  it('keeps a metadata key named __proto__ as a key', () => {
    const metadata = { fields: Object.fromEntries([['__proto__', { stringValue: 'x' }]]) };
    const read = sotwCodec.decodeRequest(bytesOf('sotw', { node: { metadata } })).node?.metadata ?? {};
    expect(Object.keys(read)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });

  it.each(['sotw', 'delta'] as const)('that is cut off anywhere is read or refused, and never anything else (%s)', (variant) => {
    const whole = bytesOf(variant, { node: nodeMessage, typeUrl: clusterType, responseNonce: 'n0', errorDetail });
    let refused = 0;
    for (let length = 0; length < whole.length; length += 1) {
      try {
        codecs[variant].decodeRequest(whole.subarray(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(whole.length * 0.9);
  });

  it('is refused if a field reaches over the end of its message', () => {
    const node = [0x12, 3, 0x0a, 4, 0x61];
    expect(() => sotwCodec.decodeRequest(Buffer.from([...node, 0x62, 0x63, 0x64]))).toThrow('reaches over the end');
  });

  it('is refused if its metadata nest without end', () => {
    const nested = (levels: number): Buffer => {
      let inner: Buffer = Buffer.alloc(0);
      const field = (tag: number, content: Buffer): Buffer => {
        const size: number[] = [];
        for (let rest = content.length; ; rest >>>= 7) {
          size.push(rest > 127 ? (rest & 127) | 128 : rest);
          if (rest <= 127) return Buffer.concat([Buffer.from([tag, ...size]), content]);
        }
      };
      for (let level = 0; level < levels; level += 1) inner = field(0x32, field(0x0a, inner));
      return field(0x12, field(0x1a, field(0x0a, field(0x12, inner))));
    };
    expect(() => sotwCodec.decodeRequest(nested(90))).not.toThrow();
    expect(() => sotwCodec.decodeRequest(nested(2000))).toThrow('nested more than 100 deep');
  });
});

describe('a response on the wire', () => {
  const resources: readonly Resource[] = [
    cluster('c1'),
    { ...cluster('c2'), version: 'r2' },
    cluster('empty', Buffer.alloc(0)),
    { typeUrl: '', name: '', value: Buffer.from('z') },
  ];

  it.each(['sotw', 'delta'] as const)('is byte for byte what the descriptors write (%s)', (variant) => {
    const removed = variant === 'delta' ? ['gone', ''] : [];
    const frame = codecs[variant].encodeResponse(response(variant, { resources, removed }));
    const type = messageType(responseNames[variant]);
    const any = resources.map(({ typeUrl, value }) => ({ typeUrl, value }));
    const message =
      variant === 'sotw'
        ? { versionInfo: 'v1', resources: any, typeUrl: clusterType, nonce: 'n1' }
        : {
            systemVersionInfo: 'v1',
            resources: resources.map(({ name, version = '' }, position) => ({ name, version, resource: any[position] })),
            typeUrl: clusterType,
            nonce: 'n1',
            removedResources: removed,
          };
    const decoded = type.toObject(type.decode(frame.subarray(5)), { arrays: true, defaults: true });
    expect(decoded).toEqual(type.toObject(type.fromObject(message), { arrays: true, defaults: true }));
    expect([frame[0], frame.readUInt32BE(1)]).toEqual([0, frame.length - 5]);
  });

  it.each(['sotw', 'delta'] as const)('is one and the same buffer for all who are sent the same (%s)', (variant) => {
    const { encodeResponse } = codecs[variant];
    const one = encodeResponse(response(variant, { resources }));
    expect(encodeResponse(response(variant, { resources, cause: 'push', sequence: 9 }))).toBe(one);
  });

  const others: readonly Partial<Response>[] = [
    { nonce: 'n2' },
    { version: 'v2' },
    { typeUrl: 'other' },
    { removed: ['x'] },
    { nonce: '' },
    { version: '' },
  ];
  it.each(others)('is another one with %o, over the same resources', (change) => {
    const { encodeResponse } = deltaCodec;
    const type = messageType(responseNames.delta);
    const decode = (frame: Buffer): Message => type.toObject(type.decode(frame.subarray(5)), { defaults: true, arrays: true });
    const before = decode(encodeResponse(response('delta', { resources })));
    const after = decode(encodeResponse(response('delta', { resources, ...change })));
    expect(after['resources']).toEqual(before['resources']);
    expect(after).not.toEqual(before);
  });
});

describe('a request that names more than a mesh has', () => {
  const tooMany = Array.from({ length: 40_001 }, (_, i) => `n${i}`);

  it.each([
    ['sotw', { resourceNames: tooMany }],
    ['delta', { resourceNamesSubscribe: tooMany }],
    ['delta', { resourceNamesUnsubscribe: tooMany }],
    ['delta', { initialResourceVersions: Object.fromEntries(tooMany.map((name) => [name, 'v'])) }],
    ['delta', { resourceNamesSubscribe: tooMany.slice(20_000), resourceNamesUnsubscribe: tooMany.slice(0, 20_000) }],
  ] as const)('is refused in %s', (variant, message) => {
    expect(() => codecs[variant].decodeRequest(bytesOf(variant, message))).toThrow('more than 40000 names in one request');
  });

  it('is read as long as it has no more than are taken', () => {
    const { names } = sotwCodec.decodeRequest(bytesOf('sotw', { resourceNames: tooMany.slice(1) })) as { names: readonly string[] };
    expect(names).toHaveLength(40_000);
  });

  it('is refused when its node has more metadata than any', () => {
    const values = tooMany.map((name) => ({ stringValue: name }));
    const inList = { id: 'a', metadata: { fields: { k: { listValue: { values } } } } };
    const inEntries = { id: 'a', metadata: { fields: Object.fromEntries(tooMany.map((name) => [name, { nullValue: 0 }])) } };
    for (const node of [inList, inEntries])
      expect(() => sotwCodec.decodeRequest(bytesOf('sotw', { node }))).toThrow('a struct of more than 40000 values');
  });
});
