import { passthroughCluster } from './clusters.ts';
import type { Json } from './endpoints.ts';
import { clusterName, isHttp, type Mesh, type ProxyView, type Service, type ServicePort } from './mesh.ts';

/** The name of the route configuration that MeshConfig.proxyHttpPort's listener asks for. */
export const httpProxyRoute = 'http_proxy';

/** A port of a service, as something to call. */
export interface Target {
  readonly service: Service;
  readonly port: ServicePort;
}

/** Ports that are routed by RDS, with what is behind them, in order. */
export function httpPorts({ services }: Mesh): ReadonlyMap<number, readonly Target[]> {
  const found = new Map<number, Target[]>();
  for (const service of services)
    for (const port of service.ports.filter(({ protocol }) => isHttp(protocol)))
      found.set(port.port, [...(found.get(port.port) ?? []), { service, port }]);
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** All names by which a client in the proxy's namespace calls a service (istio httproute.go:generateAltVirtualHosts). */
export function serviceNames({ name, namespace, hostname }: Service, view: ProxyView): readonly string[] {
  const names = [hostname, ...(namespace === view.namespace ? [name] : []), `${name}.${namespace}`, `${name}.${namespace}.svc`];
  return [...new Set(names)];
}

function domains(service: Service, view: ProxyView, port: number): readonly string[] {
  return [...new Set([...serviceNames(service, view), service.address])].flatMap((each) => [each, `${each}:${port}`]);
}

/** What requests for a service go to; `names` in place of all its names, if there are any. */
export function virtualHost({ service, port }: Target, view: ProxyView, names: readonly string[]): Json {
  return {
    name: `${service.hostname}:${port.port}`,
    domains: names.length > 0 ? names : domains(service, view, port.port),
    include_request_attempt_count: true,
    routes: [
      {
        name: 'default',
        match: { prefix: '/' },
        route: { cluster: clusterName('outbound', port.port, service.hostname), timeout: '0s' },
      },
    ],
  };
}

/** Whatever is called and no service of the mesh goes on to where it wanted to go (outboundTrafficPolicy ALLOW_ANY). */
const allowAny: Json = {
  name: 'allow_any',
  domains: ['*'],
  include_request_attempt_count: true,
  routes: [{ name: 'allow_any', match: { prefix: '/' }, route: { cluster: passthroughCluster, timeout: '0s' } }],
};

function routeConfiguration(name: string, hosts: readonly Json[]): Json {
  return { name, virtual_hosts: [...hosts, allowAny], validate_clusters: false, ignore_port_in_host_matching: true };
}

/** One configuration a port, named by it. */
export function routes(mesh: Mesh, view: ProxyView): readonly Json[] {
  if (view.role === 'router') return [];
  const byPort = [...httpPorts(mesh)].map(([port, targets]) =>
    routeConfiguration(
      String(port),
      distinct(targets).map((target) => virtualHost(target, view, [])),
    ),
  );
  return mesh.httpProxyPort === undefined ? byPort : [...byPort, proxyRoute(mesh, view)];
}

/** A service that has a port number twice is routed to once. */
function distinct(targets: readonly Target[]): readonly Target[] {
  const seen = new Set<string>();
  return targets.filter(({ service: { hostname } }) => !seen.has(hostname) && seen.add(hostname));
}

/** Every HTTP port of every service, told apart by the port that the client names; the first one also without. */
function proxyRoute(mesh: Mesh, view: ProxyView): Json {
  const hosts = mesh.services.flatMap((service) =>
    service.ports
      .filter(({ protocol }) => isHttp(protocol))
      .map((port, i) => {
        const named = domains(service, view, port.port);
        return virtualHost({ service, port }, view, i === 0 ? named : named.filter((each) => each.endsWith(`:${port.port}`)));
      }),
  );
  return { ...routeConfiguration(httpProxyRoute, hosts), ignore_port_in_host_matching: false };
}
