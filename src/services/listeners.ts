import { blackHoleCluster, inboundPassthroughCluster, passthroughCluster } from './clusters.ts';
import type { Json } from './endpoints.ts';
import { clusterName, isHttp, type Mesh, type ProxyView, type Service, type ServicePort } from './mesh.ts';
import { inboundPorts, type InboundPort } from './proxy-view.ts';
import { httpPorts, httpProxyRoute } from './routes.ts';

const type = (name: string): string => `type.googleapis.com/envoy.extensions.filters.${name}`;
const typed = (name: string, of: string, more: Json = {}): Json => ({ name, typed_config: { '@type': type(of), ...more } });

const router = typed('envoy.filters.http.router', 'http.router.v3.Router');
const originalDst = typed('envoy.filters.listener.original_dst', 'listener.original_dst.v3.OriginalDst');
const tlsInspector = typed('envoy.filters.listener.tls_inspector', 'listener.tls_inspector.v3.TlsInspector');
const httpInspector = typed('envoy.filters.listener.http_inspector', 'listener.http_inspector.v3.HttpInspector');

function tcpProxy(cluster: string): Json {
  return typed('envoy.filters.network.tcp_proxy', 'network.tcp_proxy.v3.TcpProxy', { stat_prefix: cluster, cluster });
}

function connectionManager(statPrefix: string, route: Json): Json {
  return typed('envoy.filters.network.http_connection_manager', 'network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: statPrefix,
    ...route,
    http_filters: [router],
    normalize_path: true,
    stream_idle_timeout: '0s',
    upgrade_configs: [{ upgrade_type: 'websocket' }],
  });
}

function rds(name: string): Json {
  return { rds: { route_config_name: name, config_source: { ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' } } };
}

function address(host: string, port: number): Json {
  return { address: { socket_address: { address: host, port_value: port } } };
}

/** Who calls the listener's own port would be sent back to it for ever. A port that Envoy chooses is not known here. */
function blackHole(listener: string, port: number): readonly Json[] {
  if (port === 0) return [];
  return [{ name: `${listener}-blackhole`, filter_chain_match: { destination_port: port }, filters: [tcpProxy(blackHoleCluster)] }];
}

/** What iptables redirects goes to the listener of its original destination, or on to there (istio listener.go:buildVirtualOutboundListener). */
function virtualOutbound({ bind, outboundPort }: Mesh): Json {
  return {
    name: 'virtualOutbound',
    ...address(bind, outboundPort),
    use_original_dst: true,
    traffic_direction: 'OUTBOUND',
    filter_chains: [
      ...blackHole('virtualOutbound', outboundPort),
      { name: 'virtualOutbound-catchall-tcp', filters: [tcpProxy(passthroughCluster)] },
    ],
  };
}

function inboundChain({ targetPort, port }: InboundPort): Json {
  const cluster = clusterName('inbound', targetPort);
  const route = {
    route_config: {
      name: cluster,
      validate_clusters: false,
      virtual_hosts: [
        {
          name: `inbound|http|${port.port}`,
          domains: ['*'],
          routes: [{ name: 'default', match: { prefix: '/' }, route: { cluster, timeout: '0s' } }],
        },
      ],
    },
  };
  return {
    name: `0.0.0.0_${targetPort}`,
    filter_chain_match: { destination_port: targetPort },
    filters: [isHttp(port.protocol) ? connectionManager(`inbound_0.0.0.0_${targetPort}`, route) : tcpProxy(cluster)],
  };
}

function virtualInbound(mesh: Mesh, view: ProxyView): Json {
  return {
    name: 'virtualInbound',
    ...address(mesh.bind, mesh.inboundPort),
    traffic_direction: 'INBOUND',
    listener_filters: [originalDst, tlsInspector, httpInspector],
    listener_filters_timeout: '0s',
    continue_on_listener_filters_timeout: true,
    filter_chains: [
      ...blackHole('virtualInbound', mesh.inboundPort),
      // A service that listens at the very port would be a second chain of the same match.
      ...inboundPorts(mesh, view)
        .filter(({ targetPort }) => targetPort !== mesh.inboundPort)
        .map(inboundChain),
      { name: 'virtualInbound-catchall-tcp', filters: [tcpProxy(inboundPassthroughCluster)] },
    ],
  };
}

/** One listener for all services with HTTP at a port: who is meant, the Host header tells. */
function httpListener(port: number): Json {
  return {
    name: `0.0.0.0_${port}`,
    ...address('0.0.0.0', port),
    bind_to_port: false,
    traffic_direction: 'OUTBOUND',
    filter_chains: [{ filters: [connectionManager(`outbound_0.0.0.0_${port}`, rds(String(port)))] }],
  };
}

function tcpListener(service: Service, { port }: ServicePort): Json {
  return {
    name: `${service.address}_${port}`,
    ...address(service.address, port),
    bind_to_port: false,
    traffic_direction: 'OUTBOUND',
    filter_chains: [{ filters: [tcpProxy(clusterName('outbound', port, service.hostname))] }],
  };
}

function httpProxy(port: number): Json {
  return {
    name: `127.0.0.1_${port}`,
    ...address('127.0.0.1', port),
    traffic_direction: 'OUTBOUND',
    filter_chains: [{ filters: [connectionManager(`outbound_127.0.0.1_${port}`, rds(httpProxyRoute))] }],
  };
}

/** The listeners of one proxy. A router has none: nothing was said of a Gateway. */
export function listeners(mesh: Mesh, view: ProxyView): readonly Json[] {
  if (view.role === 'router') return [];
  const tcp = mesh.services.flatMap((service) =>
    service.ports.filter(({ protocol }) => !isHttp(protocol) && protocol !== 'udp').map((port) => tcpListener(service, port)),
  );
  return [
    ...tcp,
    ...[...httpPorts(mesh).keys()].map(httpListener),
    virtualOutbound(mesh),
    virtualInbound(mesh, view),
    ...(mesh.httpProxyPort === undefined ? [] : [httpProxy(mesh.httpProxyPort)]),
  ];
}
