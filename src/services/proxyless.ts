import { assignment, type Json } from './endpoints.ts';
import type { Expansion } from './expand.ts';
import { clusterName, type Mesh, type ProxyView } from './mesh.ts';
import { inboundPorts, type InboundPort, type NodeFacts } from './proxy-view.ts';
import { serviceNames, virtualHost, type Target } from './routes.ts';

/** True for an application that speaks xDS itself, in gRPC's manner: its bootstrap says so (istio pilot/pkg/networking/grpcgen). */
export function isProxyless({ metadata }: NodeFacts): boolean {
  return metadata['GENERATOR'] === 'grpc';
}

/** The beginning of the listener name by which a gRPC server asks for its own configuration; its address follows. */
const serverListener = 'xds.istio.io/grpc/lds/inbound/';

const manager = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const filter = (name: string, message: string): Json => ({
  name: `envoy.filters.http.${name}`,
  typed_config: { '@type': `type.googleapis.com/envoy.extensions.filters.http.${name}.v3.${message}` },
});
const router = filter('router', 'Router');

function socket(address: string, port: number): Json {
  return { socket_address: { address, port_value: port } };
}

function targets({ services }: Mesh): readonly Target[] {
  return services.flatMap((service) => service.ports.filter(({ protocol }) => protocol !== 'udp').map((port) => ({ service, port })));
}

/** One for each name that a client may call the service by: gRPC asks for the listener of its target, `hello.default:80`. */
function clientListeners({ service, port }: Target, view: ProxyView): readonly Json[] {
  const routeConfigName = clusterName('outbound', port.port, service.hostname);
  const apiListener = {
    '@type': manager,
    rds: { route_config_name: routeConfigName, config_source: { ads: {} } },
    http_filters: [filter('fault', 'HTTPFault'), router],
  };
  return serviceNames(service, view).map((name) => ({
    name: `${name}:${port.port}`,
    address: socket(service.address, port.port),
    api_listener: { api_listener: apiListener },
  }));
}

/** What a gRPC server of the node's own pod asks for, whatever address it binds. */
function serverListeners({ targetPort }: InboundPort): readonly Json[] {
  const inbound = {
    '@type': manager,
    route_config: {
      name: 'inbound',
      virtual_hosts: [{ name: 'inbound', domains: ['*'], routes: [{ match: { prefix: '/' }, non_forwarding_action: {} }] }],
    },
    http_filters: [router],
  };
  return ['0.0.0.0', '::'].map((address) => ({
    name: `${serverListener}${address.includes(':') ? `[${address}]` : address}:${targetPort}`,
    address: socket(address, targetPort),
    filter_chains: [{ name: 'inbound-plaintext', filters: [{ name: 'inbound-hcm', typed_config: inbound }] }],
  }));
}

function cluster({ service, port }: Target): Json {
  const name = clusterName('outbound', port.port, service.hostname);
  return {
    name,
    alt_stat_name: `${name};`,
    type: 'EDS',
    eds_cluster_config: { service_name: name, eds_config: { ads: {} } },
  };
}

function route({ service, port }: Target, view: ProxyView): Json {
  return {
    name: clusterName('outbound', port.port, service.hostname),
    virtual_hosts: [virtualHost({ service, port }, view, [])],
  };
}

/** All that istiod makes of the services of `mesh` for a gRPC application without a proxy: what gRPC takes, and nothing more. */
export function expandProxyless(mesh: Mesh, view: ProxyView): Expansion {
  const all = targets(mesh);
  return {
    clusters: all.map(cluster),
    endpoints: all.map(({ service, port }) => assignment(mesh, view, service, port)),
    listeners: [...all.flatMap((target) => clientListeners(target, view)), ...inboundPorts(mesh, view).flatMap(serverListeners)],
    routes: all.map((target) => route(target, view)),
  };
}
