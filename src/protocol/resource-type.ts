import { FakeIstiodError } from '../errors.ts';

/** The type URLs that istiod serves, by the field's names (istio pkg/model/xds.go; xDS "Resource Types"). */
export const TypeUrl = {
  cluster: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  endpoint: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  listener: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  route: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  scopedRoute: 'type.googleapis.com/envoy.config.route.v3.ScopedRouteConfiguration',
  virtualHost: 'type.googleapis.com/envoy.config.route.v3.VirtualHost',
  secret: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret',
  extensionConfig: 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
  runtime: 'type.googleapis.com/envoy.service.runtime.v3.Runtime',
  nameTable: 'type.googleapis.com/istio.networking.nds.v1.NameTable',
  proxyConfig: 'type.googleapis.com/istio.mesh.v1alpha1.ProxyConfig',
  healthInformation: 'type.googleapis.com/istio.v1.HealthInformation',
  address: 'type.googleapis.com/istio.workload.Address',
  workload: 'type.googleapis.com/istio.workload.Workload',
  authorization: 'type.googleapis.com/istio.security.Authorization',
} as const;

/** How the protocol treats one kind of resource. */
export interface ResourceType {
  /** The short name, e.g. `CDS`. For a type outside the table: the message's last name part. */
  readonly short: string;
  readonly typeUrl: string;
  /** The key it stands under in scenario and resource files, e.g. `clusters`. */
  readonly key: string;
  /** An empty first subscription means "all of them" (xDS "How the client specifies what resources to return"). */
  readonly wildcard: boolean;
  /**
   * A SotW response carries every resource, and absence is removal. xDS asks it of Listener and Cluster only; Envoy reads scoped routes
   * so too (envoy scoped_rds.cc: a SotW update removes every scope it does not name).
   */
  readonly fullState: boolean;
  /** Position in a push: CDS, EDS, LDS, RDS, SDS, then the rest (istio pilot/pkg/xds/ads.go:PushOrder). */
  readonly order: number;
  /** False for a type that is only ever reported to the server, such as VM health. */
  readonly answered: boolean;
  /** False: who asks when there is nothing hears nothing until there is (istio nds.go and pcds.go give no resources at all). */
  readonly answeredEmpty: boolean;
}

function row(short: string, typeUrl: string, key: string, order: number, flags: Partial<ResourceType> = {}): ResourceType {
  return { short, typeUrl, key, order, wildcard: false, fullState: false, answered: true, answeredEmpty: true, ...flags };
}

/** All types known by name, in push order. */
export const resourceTypes: readonly ResourceType[] = [
  row('CDS', TypeUrl.cluster, 'clusters', 0, { wildcard: true, fullState: true }),
  row('EDS', TypeUrl.endpoint, 'endpoints', 1),
  row('LDS', TypeUrl.listener, 'listeners', 2, { wildcard: true, fullState: true }),
  row('RDS', TypeUrl.route, 'routes', 3),
  row('SRDS', TypeUrl.scopedRoute, 'scoped_routes', 3, { wildcard: true, fullState: true }),
  // Envoy's first request names nothing, and is done only when some virtual host comes (envoy vhds.cc).
  row('VHDS', TypeUrl.virtualHost, 'virtual_hosts', 4, { wildcard: true }),
  row('SDS', TypeUrl.secret, 'secrets', 5),
  row('ADDRESS', TypeUrl.address, 'addresses', 6, { wildcard: true }),
  row('WORKLOAD', TypeUrl.workload, 'workloads', 7, { wildcard: true }),
  row('WADS', TypeUrl.authorization, 'authorizations', 8, { wildcard: true }),
  row('ECDS', TypeUrl.extensionConfig, 'extension_configs', 9),
  row('RTDS', TypeUrl.runtime, 'runtimes', 10),
  row('NDS', TypeUrl.nameTable, 'name_tables', 11, { wildcard: true, answeredEmpty: false }),
  row('PCDS', TypeUrl.proxyConfig, 'proxy_configs', 12, { wildcard: true, answeredEmpty: false }),
  row('HEALTH', TypeUrl.healthInformation, 'health_informations', 13, { wildcard: true, answered: false }),
];

const byTypeUrl = new Map(resourceTypes.map((type) => [type.typeUrl, type]));
const byWord = new Map(
  resourceTypes.flatMap((type) =>
    [type.short, type.key, type.typeUrl, type.typeUrl.slice(type.typeUrl.indexOf('/') + 1)].map((word) => [word.toLowerCase(), type]),
  ),
);
const lastOrder = 99;

/** The row of `typeUrl`; a type outside the table is named, not wildcard, and pushed last. */
export function resourceType(typeUrl: string): ResourceType {
  return (
    byTypeUrl.get(typeUrl) ??
    row(typeUrl.slice(Math.max(typeUrl.lastIndexOf('.'), typeUrl.lastIndexOf('/')) + 1), typeUrl, typeUrl, lastOrder)
  );
}

/** False for a type outside the table. */
export function isKnownType(typeUrl: string): boolean {
  return byTypeUrl.has(typeUrl);
}

/** The type a person means by `CDS`, `cds`, `clusters`, a type URL or a message name; undefined if it is none of these. */
export function resourceTypeNamed(word: string): ResourceType | undefined {
  return byWord.get(word.toLowerCase()) ?? (word.includes('/') ? resourceType(word) : undefined);
}

/** The type URL that a caller of the library means. Error `options.invalid`. */
export function typeUrlNamed(word: string): string {
  const found = resourceTypeNamed(word);
  if (found) return found.typeUrl;
  throw new FakeIstiodError('options.invalid', `"${word}" is no resource type`, { remedy: 'Use CDS, EDS, LDS, RDS, SDS … or a type URL' });
}

/** Sorts type URLs in push order. */
export function inPushOrder(typeUrls: Iterable<string>): string[] {
  return [...typeUrls].sort((a, b) => resourceType(a).order - resourceType(b).order);
}
