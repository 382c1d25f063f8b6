import type { Json } from './endpoints.ts';
import { clusterName, type Mesh, type ProxyView, type Service, type ServicePort } from './mesh.ts';
import { inboundPorts, type InboundPort } from './proxy-view.ts';

/** Clusters that every proxy has (istio pilot/pkg/util/constants). */
export const blackHoleCluster = 'BlackHoleCluster';
export const passthroughCluster = 'PassthroughCluster';
export const inboundPassthroughCluster = 'InboundPassthroughCluster';

const httpOptions = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

function protocolOptions(kind: 'http2' | 'downstream'): Json {
  const chosen =
    kind === 'http2'
      ? { explicit_http_config: { http2_protocol_options: {} } }
      : { use_downstream_protocol_config: { http_protocol_options: {}, http2_protocol_options: {} } };
  return { typed_extension_protocol_options: { [httpOptions]: { '@type': `type.googleapis.com/${httpOptions}`, ...chosen } } };
}

/** Names of the SDS secrets that pilot-agent serves, and the static cluster by which it does. */
function sdsSecret(name: 'default' | 'ROOTCA'): Json {
  return {
    name,
    sds_config: {
      api_config_source: {
        api_type: 'GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: 'sds-grpc' } }],
      },
      initial_fetch_timeout: '0s',
      resource_api_version: 'V3',
    },
  };
}

/** Mutual TLS towards endpoints that speak it, plaintext towards all others. */
function transportMatches({ hostname, namespace }: Service, port: ServicePort, http2: boolean): Json {
  const tls = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';
  const raw = 'envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer';
  return {
    transport_socket_matches: [
      {
        name: 'tlsMode-istio',
        match: { tlsMode: 'istio' },
        transport_socket: {
          name: 'envoy.transport_sockets.tls',
          typed_config: {
            '@type': `type.googleapis.com/${tls}`,
            common_tls_context: {
              alpn_protocols: http2 ? ['istio', 'h2'] : ['istio'],
              tls_certificate_sds_secret_configs: [sdsSecret('default')],
              combined_validation_context: { default_validation_context: {}, validation_context_sds_secret_config: sdsSecret('ROOTCA') },
            },
            sni: `outbound_.${port.port}_._.${hostname}`,
          },
        },
      },
      {
        name: 'tlsMode-disabled',
        match: {},
        transport_socket: { name: 'envoy.transport_sockets.raw_buffer', typed_config: { '@type': `type.googleapis.com/${raw}` } },
      },
    ],
    metadata: { filter_metadata: { istio: { services: [{ host: hostname, name: hostname.split('.')[0], namespace }] } } },
  };
}

function outbound(service: Service, port: ServicePort, mtls: boolean): Json {
  const name = clusterName('outbound', port.port, service.hostname);
  const http2 = port.protocol === 'http2' || port.protocol === 'grpc';
  return {
    name,
    // A stat name of its own, that a colon or a bar in the name may not break.
    alt_stat_name: `${name};`,
    type: 'EDS',
    eds_cluster_config: { eds_config: { ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' }, service_name: name },
    connect_timeout: '10s',
    lb_policy: 'LEAST_REQUEST',
    common_lb_config: { locality_weighted_lb_config: {} },
    ...(http2 ? protocolOptions('http2') : {}),
    ...(mtls ? transportMatches(service, port, http2) : {}),
  };
}

function inbound({ targetPort }: InboundPort): Json {
  const name = clusterName('inbound', targetPort);
  return {
    name,
    alt_stat_name: `${name};`,
    type: 'ORIGINAL_DST',
    connect_timeout: '10s',
    lb_policy: 'CLUSTER_PROVIDED',
    upstream_bind_config: { source_address: { address: '127.0.0.6', port_value: 0 } },
  };
}

/** The clusters of one proxy, in istiod's order: outbound ones, those that every proxy has, inbound ones. */
export function clusters(mesh: Mesh, view: ProxyView): readonly Json[] {
  const pass = { connect_timeout: '10s', type: 'ORIGINAL_DST', lb_policy: 'CLUSTER_PROVIDED', ...protocolOptions('downstream') };
  return [
    ...mesh.services.flatMap((service) =>
      service.ports.filter(({ protocol }) => protocol !== 'udp').map((port) => outbound(service, port, mesh.mtls)),
    ),
    { name: blackHoleCluster, type: 'STATIC', connect_timeout: '10s' },
    ...(view.role === 'router' ? [] : [{ name: passthroughCluster, ...pass }]),
    ...(view.role === 'router'
      ? []
      : [
          {
            name: inboundPassthroughCluster,
            ...pass,
            upstream_bind_config: { source_address: { address: '127.0.0.6', port_value: 0 } },
          },
          ...inboundPorts(mesh, view).map(inbound),
        ]),
  ];
}
