import type { Bootstrap, Json, JsonObject } from '../envoy/index.ts';
import type { AgentOptions, BootstrapPlace } from './options.ts';

const http2 = {
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicit_http_config: { http2_protocol_options: {} },
  },
};

/** Stats that this Envoy keeps: few, as in a pod; readiness needs the first three kinds. */
const keptStats: readonly Json[] = [
  ...['cluster_manager', 'listener_manager', 'server', 'cluster.xds-grpc', 'control_plane', 'listener.', 'reporter=', 'istio'].map(
    (prefix) => ({ prefix }),
  ),
  ...['rbac.allowed', 'rbac.denied'].map((suffix) => ({ suffix })),
];

/**
 * What an Envoy beside this agent needs: its configuration and its certificate over the agent's two Unix sockets, and the two static
 * listeners of a pod. The bootstrap that pilot-agent would make for a given manifest comes from `sidecar/`.
 */
export function agentBootstrap(options: AgentOptions, place: BootstrapPlace): Bootstrap {
  const { ports, bind } = place;
  const source = { ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' };
  return {
    node: node(options),
    admin: { address: address('127.0.0.1', ports.admin) },
    stats_config: { stats_matcher: { inclusion_list: { patterns: keptStats } } },
    dynamic_resources: { cds_config: source, lds_config: source, ads_config: adsConfig(options) },
    static_resources: {
      clusters: [
        tcpCluster('prometheus_stats', '127.0.0.1', ports.admin),
        tcpCluster('agent', loopbackOf(bind), ports.status),
        pipeCluster('sds-grpc', place.sdsSocket),
        pipeCluster('xds-grpc', place.xdsSocket),
      ],
      listeners: [
        listener(bind, ports.prometheus, 'stats', '/stats/prometheus', 'prometheus_stats'),
        listener(bind, ports.ready, 'agent', '/healthz/ready', 'agent'),
      ],
    },
  };
}

function node({ workload = {}, role = 'sidecar', clusterId = 'Kubernetes', metadata = {} }: AgentOptions): JsonObject {
  const { name = 'payments-6d5f9', namespace = 'default', serviceAccount = 'default', ip = '127.0.0.1' } = workload;
  return {
    id: `${role}~${ip}~${name}.${namespace}~${namespace}.svc.cluster.local`,
    cluster: `istio-proxy.${namespace}`,
    metadata: { CLUSTER_ID: clusterId, INSTANCE_IPS: ip, NAME: name, NAMESPACE: namespace, SERVICE_ACCOUNT: serviceAccount, ...metadata },
  };
}

function adsConfig({ variant, shape }: AgentOptions): JsonObject {
  // Without it Envoy's own back-off: from half a second to 30 s, with jitter.
  const retry = shape === 'lab' ? { retry_policy: { retry_back_off: { base_interval: '0.1s', max_interval: '0.5s' } } } : {};
  return {
    api_type: variant === 'sotw' ? 'GRPC' : 'DELTA_GRPC',
    transport_api_version: 'V3',
    set_node_on_first_message_only: true,
    grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc', ...retry } }],
  };
}

function address(host: string, port: number): JsonObject {
  return { socket_address: { address: host, port_value: port } };
}

/** Where this machine reaches what listens on `bind`. */
export function loopbackOf(bind: string): string {
  return { '0.0.0.0': '127.0.0.1', '::': '::1' }[bind] ?? bind;
}

function tcpCluster(name: string, host: string, port: number): JsonObject {
  return cluster(name, address(host, port));
}

function pipeCluster(name: string, path: string): JsonObject {
  return { ...cluster(name, { pipe: { path } }), typed_extension_protocol_options: http2 };
}

function cluster(name: string, target: JsonObject): JsonObject {
  return {
    name,
    type: 'STATIC',
    connect_timeout: '1s',
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address: target } }] }] },
  };
}

/** Passes one path on to a static cluster; all else is 404. */
function listener(host: string, port: number, name: string, prefix: string, target: string): JsonObject {
  const virtualHost = { name: 'backend', domains: ['*'], routes: [{ match: { prefix }, route: { cluster: target } }] };
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: name,
    route_config: { virtual_hosts: [virtualHost] },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  };
  return {
    name: `${host}_${port}`,
    address: address(host, port),
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] }],
  };
}
