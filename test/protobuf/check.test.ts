import { describe, expect, it } from 'vitest';
import { problemText } from '../../src/errors.ts';
import { checkMessage } from '../../src/protobuf/check.ts';
import { documentOf } from './in-memory.ts';

const cluster = 'envoy.config.cluster.v3.Cluster';
const tls = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3';

/** The problems of a YAML document, as the user reads them. */
function problemsOf(type: string, yaml: string): readonly string[] {
  const document = documentOf(yaml);
  return checkMessage(type, document.value, document.positionOf).map(problemText);
}

describe('a check of a message', () => {
  it.each([
    [
      'an unknown field',
      'name: a\nconect_timeout: 1s',
      '2:1: conect_timeout: unknown field "conect_timeout" in envoy.config.cluster.v3.Cluster. Did you mean "connect_timeout"?',
    ],
    [
      'a field of the old API',
      'hosts: []',
      `1:1: hosts: "hosts" is a field of Envoy's old API v2 (envoy.api.v2.Cluster); ${cluster} does not have it. Use load_assignment`,
    ],
    ['a wrong enum', 'type: STATC', `1:7: type: "STATC" is no value of the enum ${cluster}.DiscoveryType. Did you mean STATIC?`],
    [
      'an enum without a near name',
      'type: zzzzzzzz',
      `1:7: type: "zzzzzzzz" is no value of the enum ${cluster}.DiscoveryType. One of STATIC, STRICT_DNS, LOGICAL_DNS, EDS, ORIGINAL_DST`,
    ],
    [
      'a duration without a unit',
      'connect_timeout: 10',
      '1:18: connect_timeout: expected a duration, found the number 10. Write it in seconds with the unit: 10s',
    ],
    [
      'a duration in another unit',
      'connect_timeout: 250ms',
      '1:18: connect_timeout: expected a duration, found "250ms". Write it in seconds with the unit: 0.25s',
    ],
    ['a number for a string', 'name: 12', '1:7: name: expected a string, found the number 12. Put it in quotes: "12"'],
    ['a number for a boolean', 'respect_dns_ttl: 3', '1:18: respect_dns_ttl: expected true or false, found the number 3'],
    [
      'a word for a number',
      'max_requests_per_connection: many',
      '1:30: max_requests_per_connection: expected a whole number (uint32), found "many"',
    ],
    [
      'a number out of range',
      'max_requests_per_connection: -1',
      '1:30: max_requests_per_connection: the number -1 is out of range for uint32. Give 0 to 4294967295',
    ],
    [
      'a huge number',
      'max_requests_per_connection: 99999999999999999999',
      '1:30: max_requests_per_connection: the number 99999999999999999999 is out of range for uint32. Give 0 to 4294967295',
    ],
    [
      'a broken number',
      'max_requests_per_connection: 1.5',
      '1:30: max_requests_per_connection: expected a whole number (uint32), found the number 1.5',
    ],
    [
      'a list for a single value',
      'load_assignment: [{cluster_name: a}]',
      '1:18: load_assignment: expected one envoy.config.endpoint.v3.ClusterLoadAssignment, found a list. This field takes a single value',
    ],
    [
      'a word for a mapping',
      'load_assignment: a',
      '1:18: load_assignment: expected a mapping (envoy.config.endpoint.v3.ClusterLoadAssignment), found "a"',
    ],
    ['an empty list item', 'filters:\n  - name: a\n  -', '3:4: filters[1]: an empty list item (null). Remove it'],
    [
      'both fields of a oneof',
      'type: EDS\ncluster_type: {name: a}',
      '2:1: cluster_type: type and cluster_type exclude each other (oneof cluster_discovery_type). Keep one of them',
    ],
    [
      'one field in both styles',
      'connectTimeout: 1s\nconnect_timeout: 2s',
      '2:1: connect_timeout: the same field stands here twice, as connectTimeout and as connect_timeout. Keep one',
    ],
    ['@type where the type is fixed', '"@type": x', `1:1: @type: "@type" has no place here: this is always a ${cluster}. Remove it`],
    [
      'no @type',
      'transport_socket:\n  typed_config: {sni: a}',
      '2:17: transport_socket.typed_config: no "@type" says what this is. Add "@type": type.googleapis.com/<message>, or give { typeUrl, base64 }',
    ],
    [
      'an unknown @type',
      `transport_socket: {typed_config: {"@type": ${tls}.UpstreamTls}}`,
      `1:44: transport_socket.typed_config.@type: unknown type ${tls}.UpstreamTls. Did you mean ${tls}.UpstreamTlsContext? A type that fake-istiod does not know is sent as { typeUrl, base64 }`,
    ],
    [
      'an @type of the old API',
      'transport_socket: {typed_config: {"@type": type.googleapis.com/envoy.api.v2.auth.UpstreamTlsContext}}',
      `1:44: transport_socket.typed_config.@type: type.googleapis.com/envoy.api.v2.auth.UpstreamTlsContext belongs to Envoy's API v2, which Envoy dropped in 2021; only API v3 is served. Did you mean ${tls}.UpstreamTlsContext? To send it nevertheless, give { typeUrl, base64 }`,
    ],
    [
      'an @type without prefix',
      'transport_socket: {typed_config: {"@type": envoy.config.cluster.v3.Cluster}}',
      '1:44: transport_socket.typed_config.@type: envoy.config.cluster.v3.Cluster has no prefix. Write type.googleapis.com/envoy.config.cluster.v3.Cluster',
    ],
    [
      'a problem inside an Any',
      `transport_socket:\n  typed_config:\n    "@type": ${tls}.UpstreamTlsContext\n    sn: a`,
      '4:5: transport_socket.typed_config.sn: unknown field "sn" in envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext. Did you mean "sni"?',
    ],
    [
      'raw bytes that are no base64',
      'transport_socket: {typed_config: {typeUrl: a/b, base64: "!"}}',
      '1:34: transport_socket.typed_config: expected the bytes of a/b in base64, found "!"',
    ],
    [
      'NaN in a Struct',
      'metadata: {filter_metadata: {a: {b: .nan}}}',
      '1:37: metadata.filter_metadata.a.b: NaN cannot stand in a google.protobuf.Value. Put it in quotes',
    ],
    [
      'a key without a value',
      'typed_extension_protocol_options: {a: }',
      '1:39: typed_extension_protocol_options.a: a key without a value. Give a value or remove the key',
    ],
  ])('finds %s', (_, yaml, expected) => {
    expect(problemsOf(cluster, yaml)).toEqual([`x.yaml:${expected}`]);
  });

  it('finds bytes that are no base64', () => {
    expect(problemsOf('envoy.config.core.v3.DataSource', 'inline_bytes: "-----BEGIN CERTIFICATE-----"')).toEqual([
      'x.yaml:1:15: inline_bytes: expected bytes in base64, found "-----BEGIN CERTIFICATE-----". Encode it with base64, or use inline_string where the field has one',
    ]);
  });

  it('finds map keys of the wrong type', () => {
    expect(problemsOf('cel.expr.SourceInfo', 'positions: {x: 1}')).toEqual(['x.yaml:1:13: positions.x: the key "x" is no int64']);
  });

  it('finds every problem, each with its place', () => {
    expect(problemsOf(cluster, 'nam: a\ntype: x\nload_assignment:\n  endpoints:\n    - lb_endpoint: []')).toHaveLength(3);
  });

  it('finds nothing in what Envoy itself would reject for its meaning only', () => {
    expect(problemsOf(cluster, 'connect_timeout: -1s\nlb_policy: RING_HASH')).toEqual([]);
  });
});
