import { describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/envoy/bootstrap.ts';
import { tokenFileText } from '../../src/envoy/token-file.ts';

describe('the plain bootstrap', () => {
  it('is a sidecar of the lab that gets CDS and LDS over delta ADS and waits for ever', () => {
    const source = { ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' };
    expect(bootstrap()).toMatchObject({
      node: {
        id: 'sidecar~10.0.0.7~payments-6d5f9.default~default.svc.cluster.local',
        cluster: 'payments.default',
        metadata: { CLUSTER_ID: 'Kubernetes', MESH_ID: 'cluster.local', NAMESPACE: 'default', WORKLOAD_NAME: 'payments' },
      },
      admin: { address: { socket_address: { address: '127.0.0.1', port_value: 0 } } },
      dynamic_resources: {
        cds_config: source,
        lds_config: source,
        ads_config: { api_type: 'DELTA_GRPC', transport_api_version: 'V3', set_node_on_first_message_only: true },
      },
      static_resources: { clusters: [{ name: 'xds-grpc', type: 'STRICT_DNS', load_assignment: { cluster_name: 'xds-grpc' } }] },
    });
  });

  it('takes node, variant, fetch timeout and addresses from the options', () => {
    const made = bootstrap({
      host: '::1',
      port: 7,
      variant: 'sotw',
      fetchTimeout: '2s',
      node: {
        ip: '10.1.1.1',
        name: 'web-1',
        namespace: 'shop',
        workloadName: 'web',
        clusterId: 'west',
        metadata: { MESH_ID: null, EXTRA: 'x' },
      },
      admin: { socketPath: '/run/admin' },
      initialMetadata: { clusterid: 'west' },
    });
    expect(made).toMatchObject({
      node: {
        id: 'sidecar~10.1.1.1~web-1.shop~shop.svc.cluster.local',
        cluster: 'web.shop',
        metadata: { CLUSTER_ID: 'west', NAMESPACE: 'shop', WORKLOAD_NAME: 'web', EXTRA: 'x' },
      },
      admin: { address: { pipe: { path: '/run/admin' } } },
      dynamic_resources: {
        cds_config: { initial_fetch_timeout: '2s' },
        lds_config: { initial_fetch_timeout: '2s' },
        ads_config: { api_type: 'GRPC', grpc_services: [{ initial_metadata: [{ key: 'clusterid', value: 'west' }] }] },
      },
      static_resources: {
        clusters: [
          {
            type: 'STATIC',
            load_assignment: {
              endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: '::1', port_value: 7 } } } }] }],
            },
          },
        ],
      },
    });
    expect(JSON.stringify(made)).not.toContain('MESH_ID');
  });

  it('has a short reconnect back-off in the lab, and none in the lesson, whose admin port is 9982', () => {
    expect(JSON.stringify(bootstrap())).toContain('"retry_back_off":{"base_interval":"0.1s","max_interval":"0.5s"}');
    const lesson = JSON.stringify(bootstrap({ shape: 'lesson' }));
    expect(lesson).not.toContain('retry_back_off');
    expect(lesson).toContain('"port_value":9982');
  });

  it('may name another cluster for ADS than the one it has', () => {
    const made = bootstrap({ clusterName: 'istiod', adsCluster: 'istiod-xds' });
    expect(made).toMatchObject({
      dynamic_resources: { ads_config: { grpc_services: [{ envoy_grpc: { cluster_name: 'istiod-xds' } }] } },
      static_resources: { clusters: [{ name: 'istiod' }] },
    });
  });

  it('is merged with anything else last', () => {
    const made = bootstrap({ merge: { node: { locality: { zone: 'z' } }, admin: null, layered_runtime: { layers: [] } } });
    expect(made).toMatchObject({ node: { cluster: 'payments.default', locality: { zone: 'z' } }, layered_runtime: { layers: [] } });
    expect(made).not.toHaveProperty('admin');
  });

  it('speaks TLS where it is given a root, and checks the name it asks for', () => {
    const context = (made: unknown): unknown =>
      (made as { static_resources: { clusters: { transport_socket: unknown }[] } }).static_resources.clusters[0]?.transport_socket;
    expect(context(bootstrap({ tls: { rootCert: 'ROOT' } }))).toMatchObject({
      typed_config: {
        sni: 'istiod.istio-system.svc',
        common_tls_context: {
          alpn_protocols: ['h2'],
          validation_context: {
            trusted_ca: { inline_string: 'ROOT' },
            match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: 'istiod.istio-system.svc' } }],
          },
        },
      },
    });
    const own = bootstrap({ tls: { rootCert: 'ROOT', subjectAltName: false, certificate: { chain: 'CHAIN', privateKey: 'KEY' } } });
    expect(JSON.stringify(own)).not.toContain('match_typed_subject_alt_names');
    expect(JSON.stringify(own)).toContain('"certificate_chain":{"inline_string":"CHAIN"}');
  });
});

describe('a token file', () => {
  const file = '/run/token/token.json';
  const clusterOf = (made: ReturnType<typeof bootstrap>) =>
    (made as { readonly static_resources: { readonly clusters: readonly Record<string, unknown>[] } }).static_resources.clusters[0];

  it('is read into each request of the control plane’s cluster, whenever its folder changes', () => {
    const [injector, codec, ...others] = Object(clusterOf(bootstrap({ tokenFile: file }))?.['typed_extension_protocol_options'])[
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions'
    ].http_filters as readonly { readonly name: string; readonly typed_config: Record<string, unknown> }[];
    expect([codec?.name, others]).toEqual(['envoy.filters.http.upstream_codec', []]);
    expect(injector?.typed_config).toMatchObject({
      overwrite: true,
      credential: {
        typed_config: {
          header: 'authorization',
          credential: { sds_config: { path_config_source: { path: file, watched_directory: { path: '/run/token' } } } },
        },
      },
    });
  });

  it('holds the header under the name that is asked for', () => {
    const made = JSON.stringify(bootstrap({ tokenFile: file }));
    const { resources } = JSON.parse(tokenFileText('a.b.c')) as {
      readonly resources: readonly [{ readonly name: string; readonly generic_secret: unknown }];
    };
    expect(made).toContain(`"credential":{"name":"${resources[0].name}"`);
    expect(resources[0].generic_secret).toEqual({ secret: { inline_string: 'Bearer a.b.c' } });
  });

  it('is not spoken of where there is none', () => {
    expect(JSON.stringify(bootstrap())).not.toContain('http_filters');
  });
});
