import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../src/protobuf/canonical-json.ts';
import { nameInBytes } from '../../src/protobuf/name-in-bytes.ts';
import { findMessageShape, messageShape } from '../../src/protobuf/shape-registry.ts';
import { errorOf } from './in-memory.ts';
import { prefix, types } from './loaded.ts';

const hex = (name: string, value: unknown): string => Buffer.from(encodeJson(name, value)).toString('hex');
const fraction = 'envoy.type.v3.FractionalPercent';

describe('the bytes of a message', () => {
  it('have the fields by number, however they were written', () => {
    expect(hex(fraction, { denominator: 'MILLION', numerator: 5 })).toBe('08051002');
  });

  it('leave out what equals the default, but not where it says something: an optional field, a member of a oneof', () => {
    expect(hex(fraction, { numerator: 0, denominator: 'HUNDRED' })).toBe('');
    expect(hex('envoy.config.core.v3.SocketAddress', { port_value: 0 })).toBe('1800');
    expect(hex('google.protobuf.BoolValue', false)).toBe('');
    expect(hex(types.Cluster, { lb_subset_config: {} })).toBe('b20100');
  });

  it('have numbers in a list packed, texts one by one', () => {
    expect(hex('envoy.config.core.v3.GrpcMethodList.Service', { name: 'a', method_names: ['b', 'c'] })).toBe('0a0161120162120163');
    expect(hex('envoy.config.route.v3.RetryPolicy', { retriable_status_codes: [200, 503] })).toBe('3a04c801f703');
  });

  it('have integers of 64 bits exact, up to the ends of their range', () => {
    expect(hex('google.protobuf.UInt64Value', '18446744073709551615')).toBe('08ffffffffffffffffff01');
    expect(hex('google.protobuf.Int64Value', '-9223372036854775808')).toBe('0880808080808080808001');
  });

  it.each([
    ['a half of a surrogate pair', types.Cluster, { name: 'a\ud800' }, `.${types.Cluster}.name: unpaired high surrogate: "a\\ud800"`],
    ['the other half', types.Cluster, { name: '\udc00' }, `.${types.Cluster}.name: unpaired low surrogate: "\\udc00"`],
    [
      'a day that its month lacks',
      'google.protobuf.Timestamp',
      '2023-02-29T00:00:00Z',
      '.google.protobuf.Timestamp: invalid timestamp date: "2023-02-29T00:00:00Z"',
    ],
    [
      'a time before year 1',
      'google.protobuf.Timestamp',
      '0000-12-31T23:59:59Z',
      '.google.protobuf.Timestamp: timestamp out of range: "0000-12-31T23:59:59Z"',
    ],
    ['a number that no enum has', fraction, { denominator: 2 ** 31 }, `.${fraction}.denominator: invalid enum number: 2147483648`],
  ])('cannot hold %s', (_, name, value, what) => {
    expect(errorOf(() => encodeJson(name, value)).message).toContain(`cannot be encoded: ${what}`);
  });

  it('may not nest deeper than Envoy reads', () => {
    const nested = (depth: number): unknown => (depth === 0 ? {} : { or_ids: { ids: [nested(depth - 1)] } });
    expect(hex('envoy.config.rbac.v3.Principal', nested(50))).not.toBe('');
    expect(errorOf(() => encodeJson('envoy.config.rbac.v3.Principal', nested(51))).message).toContain(
      'cannot be encoded: max depth exceeded',
    );
  });
});

describe('the shape of a message', () => {
  it('knows its fields by both names, and maps and oneofs as people wrote them', () => {
    const shape = messageShape(types.Cluster);
    expect(shape.fieldNamed('connectTimeout')).toBe(shape.fieldNamed('connect_timeout'));
    expect(shape.fieldNamed('type')?.oneof).toBe('cluster_discovery_type');
    expect(shape.fieldNamed('typed_extension_protocol_options')).toMatchObject({
      repeated: false,
      entry: { key: { kind: 'string' }, value: { typeName: 'google.protobuf.Any' } },
    });
  });

  it('is found for a message inside a message, and for nothing that is none', () => {
    expect(findMessageShape(`${types.Cluster}.LbSubsetConfig.LbSubsetSelector`)?.fieldNamed('keys')?.repeated).toBe(true);
    expect(findMessageShape(`${types.Cluster}.LbSubsetConfig.LbSubsetFallbackPolicy`)).toBeUndefined();
    expect(findMessageShape('foo.Bar')).toBeUndefined();
  });
});

describe('the name in the bytes of a resource', () => {
  it('is its own, or of an endpoint assignment that of the cluster', () => {
    expect(nameInBytes(prefix + types.Cluster, encodeJson(types.Cluster, { connect_timeout: '1s', name: 'a' }))).toBe('a');
    const endpoints = 'envoy.config.endpoint.v3.ClusterLoadAssignment';
    expect(nameInBytes(prefix + endpoints, encodeJson(endpoints, { cluster_name: 'b' }))).toBe('b');
  });

  it('is empty where there is none: another type, an unknown one, bytes that are no message', () => {
    expect(nameInBytes(`${prefix}google.protobuf.Duration`, Uint8Array.of(8, 1))).toBe('');
    expect(nameInBytes(`${prefix}foo.Bar`, Uint8Array.of(0x0a, 1, 0x61))).toBe('');
    expect(nameInBytes(prefix + types.Cluster, Uint8Array.of(0x0a, 9, 0x61))).toBe('');
  });
});
