import type { Locality, Mesh, ProxyView, Service, ServiceEndpoint, ServicePort } from './mesh.ts';
import { clusterName } from './mesh.ts';

/** A message in Envoy's JSON form. */
export type Json = Readonly<Record<string, unknown>>;

/** Where one endpoint is reached from the proxy's network. */
interface Reached {
  readonly address: string;
  readonly port: number;
  readonly weight: number;
  readonly locality: Locality;
  readonly workload: string | undefined;
}

/**
 * The endpoints of all registries, as the proxy reaches them: in its own network directly, in another one through that network's
 * gateways. Without any gateway known, or where no network is told, directly (istio pilot/pkg/xds/endpoints/ep_filters.go).
 */
function reach(mesh: Mesh, view: ProxyView, endpoint: ServiceEndpoint, port: ServicePort): readonly Reached[] {
  const { address, network, cluster, locality, weight, labels } = endpoint;
  const gateways = network === '' || network === view.network ? [] : (mesh.networks[network] ?? []);
  if (gateways.length === 0) return [{ address, port: endpoint.port ?? port.targetPort, weight, locality, workload: labels['app'] }];
  // Those of the endpoint's own cluster, if it has any (istio pilot/pkg/model/network.go:GatewaysForNetworkAndCluster).
  const own = gateways.filter((gateway) => gateway.cluster === cluster);
  return (own.length > 0 ? own : gateways).map((gateway) => ({
    address: gateway.address,
    port: gateway.port,
    weight,
    locality,
    workload: undefined,
  }));
}

/** What goes to one address twice goes there once, with the weight of both. */
function merged(reached: readonly Reached[]): readonly Reached[] {
  const found = new Map<string, Reached>();
  for (const each of reached) {
    const key = JSON.stringify([each.address, each.port, localityKey(each.locality)]);
    const known = found.get(key);
    found.set(key, known ? { ...known, weight: known.weight + each.weight } : each);
  }
  return [...found.values()];
}

function localityKey({ region = '', zone = '', subZone = '' }: Locality): string {
  return `${region}/${zone}/${subZone}`;
}

function lbEndpoint({ address, port, weight, workload }: Reached, mtls: boolean): Json {
  const transport = mtls ? { 'envoy.transport_socket_match': { tlsMode: 'istio' } } : {};
  return {
    endpoint: { address: { socket_address: { address, port_value: port } } },
    load_balancing_weight: weight,
    metadata: { filter_metadata: { ...transport, istio: { workload: workload ?? '' } } },
  };
}

function localityMessage({ region, zone, subZone }: Locality): Json {
  return { ...(region ? { region } : {}), ...(zone ? { zone } : {}), ...(subZone ? { sub_zone: subZone } : {}) };
}

/** The ClusterLoadAssignment of one port, grouped by locality as istiod does. */
export function assignment(mesh: Mesh, view: ProxyView, service: Service, port: ServicePort): Json {
  const endpoints = service.endpoints.filter(({ ready, cluster }) => ready && (!service.clusterLocal || cluster === view.cluster));
  const reached = merged(endpoints.flatMap((endpoint) => reach(mesh, view, endpoint, port)));
  const groups = new Map<string, Reached[]>();
  for (const each of reached) {
    const key = localityKey(each.locality);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return {
    cluster_name: clusterName('outbound', port.port, service.hostname),
    endpoints: [...groups.values()].map((group) => ({
      locality: localityMessage(group[0]?.locality ?? {}),
      lb_endpoints: group.map((each) => lbEndpoint(each, mesh.mtls)),
      load_balancing_weight: group.reduce((sum, { weight }) => sum + weight, 0),
    })),
  };
}
