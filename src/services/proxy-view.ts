import type { Mesh, ProxyView, Service, ServicePort } from './mesh.ts';

/** What is known of a node: its id and metadata. */
export interface NodeFacts {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * How istiod sees a node (istio pilot/pkg/model/context.go:ParseServiceNodeWithMetadata): addresses from INSTANCE_IPS, else from the node
 * id. A node that is no sidecar of Istio's gets what a sidecar of no known address gets.
 */
export function proxyView({ id, metadata }: NodeFacts): ProxyView {
  const [role = '', ip = '', name = '', domain = ''] = id.split('~');
  const text = (key: string): string => (typeof metadata[key] === 'string' ? metadata[key] : '');
  const listed = text('INSTANCE_IPS')
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
  return {
    cluster: text('CLUSTER_ID') || ownCluster,
    network: text('NETWORK'),
    ips: listed.length > 0 ? listed : ip === '' ? [] : [ip],
    namespace: text('NAMESPACE') || name.slice(name.lastIndexOf('.') + 1) || 'default',
    domain,
    role: role === 'router' ? 'router' : 'sidecar',
  };
}

/** The id of istiod's own cluster unless it is told another (istio pilot CLUSTER_ID). */
export const ownCluster = 'Kubernetes';

/** A port at which the proxy's own pod serves. */
export interface InboundPort {
  readonly service: Service;
  readonly port: ServicePort;
  readonly targetPort: number;
}

/**
 * The ports of the proxy's own pod: istiod looks for its address in the registry of its CLUSTER_ID and in no other (istio
 * aggregate/controller.go:skipSearchingRegistryForProxy). A port that several services share is there once, the first service's.
 */
export function inboundPorts({ services }: Mesh, { cluster, ips, role }: ProxyView): readonly InboundPort[] {
  if (role === 'router') return [];
  const found = new Map<number, InboundPort>();
  for (const service of services) {
    const own = service.endpoints.find((endpoint) => endpoint.cluster === cluster && ips.includes(endpoint.address));
    if (!own) continue;
    for (const port of service.ports) {
      const targetPort = own.port ?? port.targetPort;
      if (!found.has(targetPort)) found.set(targetPort, { service, port, targetPort });
    }
  }
  return [...found.values()];
}

/** Nodes of the same key get the same: what does not matter to `mesh` is not in it. */
export function viewKey(mesh: Mesh, view: ProxyView): string {
  const inbound = inboundPorts(mesh, view).map(({ service, port, targetPort }) => [service.hostname, port.port, targetPort]);
  const clusters = new Set(
    mesh.services.filter(({ clusterLocal }) => clusterLocal).flatMap(({ endpoints }) => endpoints.map(({ cluster }) => cluster)),
  );
  return JSON.stringify([clusters.has(view.cluster) ? view.cluster : '', view.network, view.role, view.namespace, view.domain, inbound]);
}
