import { describe, expect, it } from 'vitest';
import { bootstrapFindings } from '../../src/sidecar/bootstrap-findings.ts';
import { scenarioBootstrap } from '../../src/cli/scenario-bootstrap.ts';
import { problemText } from '../../src/errors.ts';
import { mergeJson, type JsonObject } from '../../src/envoy/index.ts';
import { readDocument } from '../../src/protobuf/document.ts';
import type { ExpectedAddress } from '../../src/sidecar/xds-address-findings.ts';

/** Our own bootstrap with something changed, and what is found in it. */
function found(change: JsonObject = {}): readonly string[] {
  const text = JSON.stringify(mergeJson(scenarioBootstrap(undefined, {}), change), undefined, 1);
  return bootstrapFindings(readDocument({ name: 'b.json', bytes: Buffer.from(text) })).findings.map(problemText);
}

const adsConfig = (cluster: string): JsonObject => ({ grpc_services: [{ envoy_grpc: { cluster_name: cluster } }] });

describe('what Envoy does not say of a bootstrap', () => {
  it('is nothing for our own one', () => expect(found()).toEqual([]));

  it('is that the ADS cluster is not among the static ones, with both names and the place', () => {
    expect(found({ dynamic_resources: { ads_config: adsConfig('xds-grcp') } })).toEqual([
      'b.json:38:23: dynamic_resources.ads_config.grpc_services[0].envoy_grpc.cluster_name: the xDS cluster "xds-grcp" is not among the ' +
        'static clusters (there is only "xds-grpc"): Envoy exits with `Unknown gRPC client cluster \'xds-grcp\'`, in a pod a CrashLoop. ' +
        'Did you mean "xds-grpc"?',
    ]);
  });

  it('names the only cluster even if its name is no misspelling', () => {
    expect(found({ dynamic_resources: { ads_config: adsConfig('istiod-xds') } })[0]).toMatch(/Did you mean "xds-grpc"\?$/);
  });

  it('says that there are no static clusters at all', () => {
    expect(found({ static_resources: null })[0]).toContain('(there are none)');
  });

  it('is that the xDS cluster does not speak HTTP/2', () => {
    const cluster = { name: 'xds-grpc', type: 'STATIC' };
    expect(found({ static_resources: { clusters: [cluster] } })).toEqual([
      expect.stringContaining('the xDS cluster "xds-grpc" does not speak HTTP/2'),
    ]);
  });

  it('takes the old field for HTTP/2 too, in either case of letters', () => {
    const cluster = { name: 'xds-grpc', http2ProtocolOptions: {} };
    expect(found({ static_resources: { clusters: [cluster] } })).toEqual([]);
  });

  it('is that a fetch timeout ends in a false LIVE', () => {
    const cds = { ads: {}, initial_fetch_timeout: '15s' };
    expect(found({ dynamic_resources: { cds_config: cds } })).toEqual([
      expect.stringMatching(
        /^b\.json:\d+:\d+: dynamic_resources\.cds_config\.initial_fetch_timeout: initial_fetch_timeout of cds_config is 15s: .*false LIVE/,
      ),
    ]);
  });

  it("is that without one Envoy's default holds", () => {
    expect(found({ dynamic_resources: { lds_config: { initial_fetch_timeout: null } } })).toEqual([
      expect.stringContaining('lds_config has no initial_fetch_timeout'),
    ]);
  });

  it.each(['0s', '0.000s'])('is nothing for a timeout of %s', (timeout) => {
    expect(found({ dynamic_resources: { cds_config: { initial_fetch_timeout: timeout } } })).toEqual([]);
  });

  it('is nothing of the sort for configuration out of a file', () => {
    expect(
      found({ dynamic_resources: { cds_config: { ads: null, initial_fetch_timeout: null, path_config_source: { path: '/a' } } } }),
    ).toEqual([]);
  });
});

/** A bootstrap by hand, and what is found in it or warned of. */
function inYaml(text: string, expected?: ExpectedAddress): { readonly findings: readonly string[]; readonly warnings: readonly string[] } {
  const document = readDocument({ name: 'b.yaml', bytes: Buffer.from(text) });
  const { findings, warnings } = bootstrapFindings(document, expected ? { expected } : {});
  return { findings: findings.map(problemText), warnings: warnings.map(problemText) };
}

const http2 = '{ explicit_http_config: { http2_protocol_options: {} } }';

/** A bootstrap with this node, whose istiod is there. */
function handmade({ node = goodNode, host = 'localhost', port = 15_010, more = '' }): string {
  return `node: ${node}
dynamic_resources:
  ads_config: { api_type: GRPC, grpc_services: [{ envoy_grpc: { cluster_name: xds } }] }
static_resources:
  clusters:
  - name: xds
    ${more}
    typed_extension_protocol_options: { o: ${http2} }
    load_assignment: { endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: "${host}", port_value: ${port} } } } }] }] }
`;
}
const goodNode = '{ id: sidecar~10.0.0.7~web-1.demo~demo.svc.cluster.local, metadata: { CLUSTER_ID: Kubernetes } }';
const withId = (id: string): string => `{ id: "${id}", metadata: { CLUSTER_ID: Kubernetes } }`;

const nodes: readonly (readonly [what: string, node: string, said: RegExp | undefined])[] = [
  ['a good node', goodNode, undefined],
  [
    'no node id',
    '{ metadata: { CLUSTER_ID: Kubernetes } }',
    /^b\.yaml:1:7: node: there is no node\.id: istiod closes the stream with `missing node information`/,
  ],
  [
    'an id of three fields',
    withId('sidecar~10.0.0.7~web-1.demo'),
    /^b\.yaml:1:13: node\.id: .* has 3 fields between "~", and istiod wants four.*`missing parts in the service node`/,
  ],
  ['an id of one word', withId('web-1'), /has 1 field between "~"/],
  [
    'a role that is none',
    withId('sidecars~10.0.0.7~web-1.demo~d'),
    /has the role "sidecars", which istiod does not know.*Did you mean "sidecar"\?/,
  ],
  ['an IP that is none', withId('sidecar~web~web-1.demo~d'), /has "web" where the pod's IP belongs, and no INSTANCE_IPS goes before it/],
  [
    'an IP that is none beside one in the metadata',
    '{ id: sidecar~web~web-1.demo~d, metadata: { CLUSTER_ID: a, INSTANCE_IPS: "10.0.0.7" } }',
    undefined,
  ],
  [
    'no CLUSTER_ID',
    '{ id: sidecar~10.0.0.7~web-1.demo~d, metadata: { MESH_ID: m } }',
    /^b\.yaml:1:44: node\.metadata: node\.metadata has no CLUSTER_ID/,
  ],
  ['an empty CLUSTER_ID', '{ id: sidecar~10.0.0.7~web-1.demo~d, metadata: { CLUSTER_ID: "" } }', /has no CLUSTER_ID/],
  ['a node of somebody else', '{ id: test-id, cluster: test }', undefined],
];

describe('what istiod does not say of a node', () => {
  it.each(nodes)('is found: %s', (_, node, said) => {
    expect(inYaml(handmade({ node })).findings).toEqual(said === undefined ? [] : [expect.stringMatching(said)]);
  });

  it('is found in any node that goes to istiod', () => {
    expect(inYaml(handmade({ node: '{ id: test-id }', host: 'istiod.istio-system.svc' })).findings.join('\n')).toMatch(
      /has 1 field.*\n.*no CLUSTER_ID/,
    );
  });

  it('is only warned of where a namespace is missing', () => {
    const { findings, warnings } = inYaml(handmade({ node: withId('sidecar~10.0.0.7~web~d') }));
    expect(findings).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('has "web" where pod.namespace belongs')]);
  });
});

describe('an address', () => {
  const expected = { address: 'istiod.istio-system.svc:15012', source: 'mesh.yaml', at: { file: 'mesh.yaml', line: 3 } };
  const tls = 'transport_socket: { name: tls }';

  it("is found that is not the mesh config's, with both", () => {
    expect(inYaml(handmade({ host: 'istiod', port: 15_012, more: tls }), expected).findings).toEqual([
      expect.stringMatching(
        /^b\.yaml:9:\d+: .*the control plane is at istiod:15012 here, and at istiod\.istio-system\.svc:15012 in the mesh config \(mesh\.yaml:3\)/,
      ),
    ]);
  });

  it('is compared character for character, also behind pilot-agent', () => {
    const agent = (address: string): string =>
      `node: { id: sidecar~1.2.3.4~a.b~c, metadata: { CLUSTER_ID: K, PROXY_CONFIG: { discoveryAddress: "${address}" } } }\n`;
    expect(inYaml(agent('istiod.istio-system.svc:15012'), expected).findings).toEqual([]);
    expect(inYaml(agent('istiod.istio-system.svc.:15012'), expected).findings).toHaveLength(1);
  });

  it('with TLS to the port without is found, without TLS to the port with it warned of', () => {
    expect(inYaml(handmade({ more: tls })).findings).toEqual([
      expect.stringContaining('speaks TLS to localhost:15010, where istiod speaks plaintext'),
    ]);
    const plain = inYaml(handmade({ host: 'istiod.istio-system.svc', port: 15_012 }));
    expect(plain.findings).toEqual([]);
    expect(plain.warnings).toEqual([
      expect.stringContaining('speaks plaintext to istiod.istio-system.svc:15012, where a real istiod wants TLS'),
    ]);
  });
});

describe('what stands and falls with a cluster or a version', () => {
  it('is a secret whose cluster is not there', () => {
    const sds =
      'transport_socket: { typed_config: { sds_config: { api_config_source: { grpc_services: [{ envoy_grpc: { cluster_name: xdss } }] } } } }';
    expect(inYaml(handmade({ more: sds, port: 15_012 })).findings).toEqual([
      expect.stringMatching(
        /^b\.yaml:7:\d+: .*the cluster "xdss" that is to give a secret is not among the static clusters .*Did you mean "xds"\?/,
      ),
    ]);
  });

  it("is Envoy's v2 API, by its name", () => {
    const text = handmade({}).replace('api_type: GRPC', 'api_type: GRPC, transport_api_version: V2');
    expect(inYaml(text).findings).toEqual([expect.stringContaining("is V2: Envoy's v2 API, which Envoy 1.18 dropped (2021)")]);
  });

  it("is pilot-agent's socket, on which a bare Envoy hears nobody", () => {
    const text = handmade({}).replace(/socket_address: \{[^}]*\}/, 'pipe: { path: ./etc/istio/proxy/XDS }');
    expect(inYaml(text).warnings).toEqual([
      expect.stringContaining(
        'is the Unix socket ./etc/istio/proxy/XDS, which only pilot-agent opens (relative to where Envoy is started)',
      ),
    ]);
  });
});
