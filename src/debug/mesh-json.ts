import type { Mesh, PortProtocol, ProxyView, Service, ServiceEndpoint, ServicePort } from '../services/mesh.ts';
import { inboundPorts, ownCluster } from '../services/proxy-view.ts';
import { neverText } from './moment.ts';

/** Go's JSON of istiod's own structs: names as they stand there, empty values included. */
type Json = Readonly<Record<string, unknown>>;

/** istiod's words (istio pkg/config/protocol/instance.go). */
const protocolWords: Readonly<Record<PortProtocol, string>> = {
  http: 'HTTP',
  http2: 'HTTP2',
  grpc: 'GRPC',
  tcp: 'TCP',
  tls: 'TLS',
  https: 'HTTPS',
  mongo: 'Mongo',
  mysql: 'MySQL',
  redis: 'Redis',
  udp: 'UDP',
};

function portJson({ name, port, protocol }: ServicePort): Json {
  return { name, port, protocol: protocolWords[protocol] };
}

function serviceJson({ name, namespace, hostname, address, ports, endpoints }: Service): Json {
  const clusters = [...new Set([ownCluster, ...endpoints.map(({ cluster }) => cluster)])];
  return {
    Attributes: {
      ServiceRegistry: 'Kubernetes',
      Name: name,
      Namespace: namespace,
      Labels: {},
      ExportTo: null,
      LabelSelectors: {},
      Aliases: null,
      ClusterExternalAddresses: { Addresses: null },
      ClusterExternalPorts: null,
      PassthroughTargetPorts: null,
      Type: 'ClusterIP',
      ExternalName: '',
      NodeLocal: false,
      TrafficDistribution: 0,
      ObjectName: name,
      PublishNotReadyAddresses: false,
    },
    ports: ports.map(portJson),
    creationTime: neverText,
    hostname,
    clusterVIPs: { Addresses: Object.fromEntries(clusters.map((cluster) => [cluster, [address]])) },
    defaultAddress: address,
    Resolution: 0,
    MeshExternal: false,
    ResourceVersion: '',
  };
}

/** `/debug/registryz`: the services of the mesh. */
export function registry(mesh: Mesh | undefined): readonly Json[] {
  return (mesh?.services ?? []).map(serviceJson);
}

function endpointJson({ namespace }: Service, { name, targetPort }: ServicePort, endpoint: ServiceEndpoint, mtls: boolean): Json {
  const { address, port, network, cluster, locality, weight, labels, ready } = endpoint;
  return {
    Labels: labels,
    Addresses: [address],
    ServicePortName: name,
    LegacyClusterPortKey: 0,
    ServiceAccount: '',
    Network: network,
    Locality: { Label: [locality.region, locality.zone, locality.subZone].filter(Boolean).join('/'), ClusterID: cluster },
    EndpointPort: port ?? targetPort,
    LbWeight: weight,
    TLSMode: mtls ? 'istio' : 'disabled',
    Namespace: namespace,
    WorkloadName: labels['app'] ?? '',
    HostName: '',
    SubDomain: '',
    HealthStatus: ready ? 1 : 2,
    SendUnhealthyEndpoints: false,
    NodeName: '',
  };
}

/** `/debug/endpointShardz`: endpoints by host name, namespace and the registry that knows them, keyed provider/cluster. */
export function endpointShards(mesh: Mesh | undefined): Json {
  const shards = (service: Service): Json => {
    const found: Record<string, Json[]> = {};
    for (const endpoint of service.endpoints)
      for (const port of service.ports)
        (found[`Kubernetes/${endpoint.cluster}`] ??= []).push(endpointJson(service, port, endpoint, mesh?.mtls ?? false));
    return found;
  };
  return Object.fromEntries(
    (mesh?.services ?? [])
      .filter(({ endpoints }) => endpoints.length > 0)
      .map((service) => [service.hostname, { [service.namespace]: { Shards: shards(service), ServiceAccounts: {} } }]),
  );
}

/** One row of `/debug/instancesz`: the services whose pod the proxy is. */
export function instances(mesh: Mesh | undefined, view: ProxyView): readonly Json[] {
  if (!mesh) return [];
  return inboundPorts(mesh, view).map(({ service, port, targetPort }) => ({
    Service: serviceJson(service),
    Port: { ...portJson(port), TargetPort: targetPort },
  }));
}

/** `/debug/networkz`: how networks are entered from others. */
export function networkGateways(mesh: Mesh | undefined): readonly Json[] {
  return Object.entries(mesh?.networks ?? {}).flatMap(([Network, gateways]) =>
    gateways.map(({ address, port }) => ({
      Network,
      Cluster: '',
      Addr: address,
      Port: port,
      HBONEPort: 0,
      ServiceAccount: { Namespace: '', Name: '' },
    })),
  );
}

/** `/debug/sidecarz`: what a proxy sees where no Sidecar narrows it: all services (istio sidecar.go:SidecarScope). */
export function sidecarScope(mesh: Mesh | undefined, namespace: string, version: string): Json {
  const services = registry(mesh);
  const byHostname = Object.fromEntries(
    (mesh?.services ?? []).map((service, i) => [service.hostname, { [service.namespace]: services[i] }]),
  );
  return {
    destinationRules: {},
    egressListenerServices: [services],
    name: 'default-sidecar',
    namespace,
    outboundTrafficPolicy: { mode: 'ALLOW_ANY' },
    services,
    servicesByHostname: byHostname,
    sidecar: null,
    version,
  };
}
