/** What travels over a port, as far as istiod's listeners tell it apart (istio pkg/config/protocol/instance.go). */
export const portProtocols = ['http', 'http2', 'grpc', 'tcp', 'tls', 'https', 'mongo', 'mysql', 'redis', 'udp'] as const;
export type PortProtocol = (typeof portProtocols)[number];

/** A port of a service. */
export interface ServicePort {
  readonly port: number;
  readonly name: string;
  readonly protocol: PortProtocol;
  /** The port of the pods; default that of the service. */
  readonly targetPort: number;
}

/** A place in the world, as Kubernetes' topology labels tell it. */
export interface Locality {
  readonly region?: string;
  readonly zone?: string;
  readonly subZone?: string;
}

/** One instance of a service, as the registry of one cluster knows it. */
export interface ServiceEndpoint {
  /** An IP address or a host name. */
  readonly address: string;
  /** In place of the target port of every port. */
  readonly port?: number;
  /** The cluster id under which istiod reads its registry. */
  readonly cluster: string;
  /** Empty: in the network of whoever asks. */
  readonly network: string;
  readonly locality: Locality;
  readonly weight: number;
  /** The pod's labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** False: it is not ready, and sent to nobody. */
  readonly ready: boolean;
}

/** A service of the mesh. */
export interface Service {
  readonly name: string;
  readonly namespace: string;
  /** `hello.default.svc.cluster.local` */
  readonly hostname: string;
  /** Its virtual IP address. */
  readonly address: string;
  readonly ports: readonly ServicePort[];
  readonly endpoints: readonly ServiceEndpoint[];
  /** Only endpoints of the proxy's own cluster are sent (MeshConfig.serviceSettings clusterLocal). */
  readonly clusterLocal: boolean;
}

/** Where a network is entered from outside. */
export interface NetworkGateway {
  readonly address: string;
  /** istio's east-west gateway listens on 15443. */
  readonly port: number;
  /** The cluster id of its registry: goes before others for endpoints of the same cluster. */
  readonly cluster?: string;
}

/** A cluster whose registry istiod reads: its own, or one that a remote secret tells of. */
export interface MeshCluster {
  /** As the scenario calls it. */
  readonly name: string;
  /** The id under which it is known; a second cluster of the same id is ignored. */
  readonly id: string;
}

/** A cluster that istiod was told of under an id that is taken, so that nothing of it is seen. */
export interface IgnoredCluster extends MeshCluster {
  /** What istiod logs of it (istio pkg/kube/multicluster/secretcontroller.go). */
  readonly text: string;
}

/** The mesh as istiod knows it: services of all clusters, and how networks are entered. */
export interface Mesh {
  readonly services: readonly Service[];
  /** Clusters by which endpoints are told apart, istiod's own first; empty if the scenario does not say. */
  readonly clusters: readonly MeshCluster[];
  readonly ignored: readonly IgnoredCluster[];
  /** Gateways by network. */
  readonly networks: Readonly<Record<string, readonly NetworkGateway[]>>;
  /** `cluster.local` */
  readonly domain: string;
  /** The address of virtualInbound, virtualOutbound and the HTTP listeners: 0.0.0.0 with istiod. */
  readonly bind: string;
  readonly outboundPort: number;
  readonly inboundPort: number;
  /** A listener for clients that know their proxy (`curl -x`), as of MeshConfig.proxyHttpPort; absent: none. */
  readonly httpProxyPort?: number;
  /** Clusters offer mutual TLS, with certificates of the SDS cluster `sds-grpc`. */
  readonly mtls: boolean;
}

/** What of a proxy decides what it gets. */
export interface ProxyView {
  /** CLUSTER_ID of its node metadata: picks the registry in which its own pod is looked up. */
  readonly cluster: string;
  /** NETWORK of its node metadata. */
  readonly network: string;
  /** The first is what istiod knows it by. */
  readonly ips: readonly string[];
  readonly namespace: string;
  /** The DNS domain of its node id: `default.svc.cluster.local`. */
  readonly domain: string;
  /** From the first part of its node id. */
  readonly role: 'sidecar' | 'router';
}

/** True for protocols that are routed by RDS. */
export function isHttp(protocol: PortProtocol): boolean {
  return protocol === 'http' || protocol === 'http2' || protocol === 'grpc';
}

/** istiod's name of a cluster: direction, port, subset, host (istio pilot/pkg/model/push_context.go:BuildSubsetKey). */
export function clusterName(direction: 'outbound' | 'inbound', port: number, hostname = '', subset = ''): string {
  return `${direction}|${port}|${subset}|${hostname}`;
}
