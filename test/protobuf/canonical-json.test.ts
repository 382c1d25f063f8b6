import { describe, expect, it } from 'vitest';
import { decodeJson, encodeJson } from '../../src/protobuf/canonical-json.ts';
import { errorOf } from './in-memory.ts';

const cluster = 'envoy.config.cluster.v3.Cluster';
const socket = 'envoy.config.core.v3.TransportSocket';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** What comes back after a way there and back. */
const again = (type: string, value: unknown): unknown => decodeJson(type, encodeJson(type, value));
const inAny = (value: unknown): unknown => (again(socket, { typed_config: value }) as { typedConfig: unknown }).typedConfig;

describe('a message in canonical JSON', () => {
  // Field numbers: name 1, type 2 (EDS = 3), connect_timeout 4, per_connection_buffer_limit_bytes 5, of cluster.proto.
  it('has the bytes that its field numbers give', () => {
    const bytes = encodeJson(cluster, { name: 'a', type: 'EDS', connect_timeout: '10.5s', perConnectionBufferLimitBytes: 300 });
    expect(hex(bytes)).toBe(['0a0161', '1003', '2208080a1080cab5ee01', '2a0308ac02'].join(''));
  });

  // Any: type_url 1, value 2; TransportSocket: name 1, typed_config 3; Duration: seconds 1.
  it('has the bytes of an Any inside it', () => {
    const url = 'type.googleapis.com/google.protobuf.Duration';
    const bytes = encodeJson(socket, { name: 'x', typed_config: { '@type': url, value: '3s' } });
    const any = `0a${url.length.toString(16)}${Buffer.from(url).toString('hex')}1202` + '0803';
    expect(hex(bytes)).toBe(`0a01781a${(any.length / 2).toString(16)}${any}`);
  });

  it('takes keys of both styles and gives lowerCamel', () => {
    expect(again(cluster, { alt_stat_name: 'a', lbPolicy: 'MAGLEV' })).toEqual({ altStatName: 'a', lbPolicy: 'MAGLEV' });
  });

  it.each([
    ['enum names in any case', { type: 'strict_dns' }, { type: 'STRICT_DNS' }],
    ['enum numbers', { type: 4 }, { type: 'ORIGINAL_DST' }],
    ['quoted enum numbers', { type: '4' }, { type: 'ORIGINAL_DST' }],
    [
      "YAML 1.1's booleans",
      { respect_dns_ttl: 'yes', ignore_health_on_host_removal: 'ON' },
      { respectDnsTtl: true, ignoreHealthOnHostRemoval: true },
    ],
    ['a single value for a list of one', { filters: { name: 'f' } }, { filters: [{ name: 'f' }] }],
    ['numbers in quotes', { per_connection_buffer_limit_bytes: '5' }, { perConnectionBufferLimitBytes: 5 }],
    ['whole floats', { per_connection_buffer_limit_bytes: 1e3 }, { perConnectionBufferLimitBytes: 1000 }],
    ['a duration spelled out', { connect_timeout: { seconds: 5, nanos: 5_000_000 } }, { connectTimeout: '5.005s' }],
    ['a wrapper spelled out', { per_connection_buffer_limit_bytes: { value: 7 } }, { perConnectionBufferLimitBytes: 7 }],
    ['null for a field that is not set', { load_assignment: null, name: 'a' }, { name: 'a' }],
  ])('takes %s, as Envoy does', (_, value, expected) => {
    expect(again(cluster, value)).toEqual(expected);
  });

  it('takes a time spelled out', () => {
    expect(again('google.protobuf.Timestamp', { seconds: 1_700_000_000, nanos: 120 })).toBe('2023-11-14T22:13:20.000000120Z');
    expect(again('google.protobuf.Timestamp', { seconds: '0' })).toBe('1970-01-01T00:00:00Z');
  });

  it('keeps 64-bit integers whole, given as bigint, string or number', () => {
    const type = 'istio.v1.auth.IstioCertificateRequest';
    expect(again(type, { validityDuration: 9_007_199_254_740_993n })).toEqual({ validityDuration: '9007199254740993' });
    expect(again(type, { validityDuration: '-9223372036854775808' })).toEqual({ validityDuration: '-9223372036854775808' });
    expect(again(type, { validityDuration: 86_400 })).toEqual({ validityDuration: '86400' });
  });

  it('keeps a Struct as it is, nulls and empty mappings included', () => {
    const struct = { a: 1.5, b: ['x', null, { c: true }], d: {}, snake_case: [] };
    expect(again('envoy.config.core.v3.Metadata', { filter_metadata: { x: struct } })).toEqual({ filterMetadata: { x: struct } });
  });
});

describe('an Any', () => {
  const url = 'type.googleapis.com/';

  it.each([
    ['udpa TypedStruct', { '@type': `${url}udpa.type.v1.TypedStruct`, typeUrl: 'foo', value: { a: [1, null] } }],
    ['xds TypedStruct', { '@type': `${url}xds.type.v3.TypedStruct`, typeUrl: 'foo', value: { a: 'b' } }],
    ['a Struct', { '@type': `${url}google.protobuf.Struct`, value: { a: { b: 1 } } }],
    ['a wrapper', { '@type': `${url}google.protobuf.StringValue`, value: 'hi' }],
    ['a timestamp', { '@type': `${url}google.protobuf.Timestamp`, value: '2026-01-31T12:00:00.000000001Z' }],
    ['an Any in an Any', { '@type': `${url}google.protobuf.Any`, value: { '@type': `${url}google.protobuf.Duration`, value: '1s' } }],
    ['a message with an Any of its own', { '@type': `${url}${socket}`, name: 'n', typedConfig: { '@type': `${url}${socket}`, name: 'm' } }],
    ['nothing', {}],
    ['an unknown type, shown as base64', { '@type': `${url}foo.Bar`, value: 'aGVsbG8=' }],
  ])('with %s comes back as it went', (_, any) => {
    expect(inAny(any)).toEqual(any);
  });

  it('reads an Empty with and without a value', () => {
    const empty = { '@type': `${url}google.protobuf.Empty` };
    expect(inAny(empty)).toEqual(empty);
    expect(inAny({ ...empty, value: {} })).toEqual(empty);
  });

  it('in the raw form sends exactly these bytes, of a type we know or not', () => {
    const known = `${url}google.protobuf.Duration`;
    expect(hex(encodeJson('google.protobuf.Any', { typeUrl: known, base64: '//8=' }))).toBe(
      `0a${known.length.toString(16)}${Buffer.from(known).toString('hex')}1202ffff`,
    );
    expect(inAny({ type_url: `${url}foo.Bar`, base64: 'aGVsbG8' })).toEqual({ '@type': `${url}foo.Bar`, value: 'aGVsbG8=' });
  });

  it('whose bytes are not of its type is shown in the raw form, which goes back as it came', () => {
    const raw = { typeUrl: `${url}${cluster}`, base64: '//8=' };
    expect(inAny(raw)).toEqual(raw);
  });

  it('nested without end is left closed instead of overflowing the stack', () => {
    let bytes: Uint8Array = encodeJson('google.protobuf.Any', { '@type': `${url}google.protobuf.Duration`, value: '1s' });
    for (let i = 0; i < 500; i += 1) {
      bytes = encodeJson('google.protobuf.Any', { typeUrl: `${url}google.protobuf.Any`, base64: Buffer.from(bytes).toString('base64') });
    }
    expect(JSON.stringify(decodeJson('google.protobuf.Any', bytes))).toContain('"base64":');
  });
});

describe('what cannot be encoded or decoded', () => {
  it('is one error with the path of each problem', () => {
    const error = errorOf(() => encodeJson(cluster, { nam: 'a', connect_timeout: '10' }));
    expect(error.code).toBe('resource.invalid');
    expect(error.problems).toEqual([
      `nam: unknown field "nam" in ${cluster}. Did you mean "name"?`,
      'connect_timeout: expected a duration, found "10". Write it in seconds with the unit: 10s',
    ]);
  });

  it('says which message bytes are not', () => {
    expect(errorOf(() => decodeJson(cluster, Uint8Array.of(0xff, 0xff)))).toMatchObject({
      code: 'resource.invalid',
      message: expect.stringMatching(
        /^these 2 bytes are no envoy\.config\.cluster\.v3\.Cluster: .*\. Give the bytes of one such message alone/,
      ) as string,
    });
  });

  it('does not end in a stack overflow, however deep or circular it is', () => {
    const loop: Record<string, unknown> = {};
    loop['typed_config'] = { '@type': `type.googleapis.com/${socket}`, typed_config: loop };
    const circular: Record<string, unknown> = { '@type': `type.googleapis.com/${socket}` };
    circular['typed_config'] = circular;
    expect(errorOf(() => encodeJson(socket, { typed_config: circular })).message).toContain('nested too deep');
    const struct: Record<string, unknown> = {};
    struct['a'] = struct;
    expect(errorOf(() => encodeJson('google.protobuf.Struct', struct)).message).toContain('nested too deep');
  });
});
