import { basename } from 'node:path';
import { resourceTypes, TypeUrl } from '../protocol/resource-type.ts';

/** Other words that people write for a kind, as keys and in file names; `resourceTypes` has the main ones. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  CDS: ['cluster'],
  EDS: ['endpoint', 'cluster_load_assignment', 'cluster_load_assignments', 'load_assignments'],
  LDS: ['listener'],
  RDS: ['route', 'route_config', 'route_configs', 'route_configuration', 'route_configurations'],
  SRDS: ['scoped_route', 'scoped_route_configs', 'scoped_route_configurations'],
  VHDS: ['virtual_host'],
  SDS: ['secret'],
  ECDS: ['extension_config', 'ecds_filters', 'typed_extension_configs'],
  RTDS: ['runtime'],
  NDS: ['name_table'],
  PCDS: ['proxy_config'],
  ADDRESS: ['address'],
  WORKLOAD: ['workload'],
  WADS: ['authorization'],
};

const plain = (word: string): string => word.toLowerCase().replaceAll(/[_-]/g, '');
const typeUrls = new Map(
  resourceTypes.flatMap(({ short, key, typeUrl }) =>
    [short, key, ...(otherWords[short] ?? [])].map((word) => [plain(word), typeUrl] as const),
  ),
);

/** The keys under which lists of resources stand, as they are spelled in messages. */
export const resourceKeys: readonly string[] = resourceTypes.filter(({ answered }) => answered).map(({ key }) => key);

const keys = new Map(resourceTypes.map(({ key, typeUrl }) => [typeUrl, key]));

/** The key under which resources of a type stand: `clusters`; undefined for a type outside the table. */
export function keyOfTypeUrl(typeUrl: string): string | undefined {
  return keys.get(typeUrl);
}

/** The type URL that a key means: `clusters`, `routeConfigs`, `cds`. */
export function typeUrlOfKey(key: string): string | undefined {
  return typeUrls.get(plain(key));
}

/** The type URL that a file's name tells: `cds.yaml`, `http-route.clusters.yaml`, `my_endpoints.json`. The last word counts. */
export function typeUrlOfFileName(file: string): string | undefined {
  const words = basename(file).replace(/(\.(ya?ml|json))+$/i, '');
  const parts = words.split(/[.\s]+/).reverse();
  const found = parts.map(typeUrlOfKey).find((typeUrl) => typeUrl !== undefined);
  return (
    found ??
    words
      .split(/[._\s-]+/)
      .reverse()
      .map(typeUrlOfKey)
      .find((typeUrl) => typeUrl !== undefined)
  );
}

/** Fields that only one kind has, in the order in which they are tried. */
const tellingFields: readonly (readonly [short: string, ...fields: string[]])[] = [
  ['EDS', 'cluster_name'],
  ['RDS', 'virtual_hosts', 'vhds'],
  ['LDS', 'filter_chains', 'default_filter_chain', 'listener_filters', 'api_listener', 'address'],
  ['SDS', 'tls_certificate', 'validation_context', 'session_ticket_keys', 'generic_secret'],
  ['CDS', 'load_assignment', 'eds_cluster_config', 'connect_timeout', 'lb_policy', 'cluster_type', 'type'],
  ['ECDS', 'typed_config'],
  ['SRDS', 'route_configuration_name'],
  ['VHDS', 'domains'],
  ['RTDS', 'layer'],
  ['NDS', 'table'],
];
const byShort = new Map(resourceTypes.map(({ short, typeUrl }) => [short, typeUrl]));

/** The type URL that the fields of a resource tell, when nothing else does. */
export function typeUrlOfShape(value: Readonly<Record<string, unknown>>): string | undefined {
  const keys = new Set(Object.keys(value).map(plain));
  const row = tellingFields.find(([, ...fields]) => fields.some((field) => keys.has(plain(field))));
  return row && byShort.get(row[0]);
}

type Fields = Readonly<Record<string, unknown>>;

/** How istiod names the types of ambient, whose own `name` is only a part of it (istio pilot/pkg/serviceregistry/kube/controller/ambient). */
const namedOtherwise: Readonly<Record<string, (value: Fields) => unknown>> = {
  [TypeUrl.workload]: ({ uid }) => uid,
  [TypeUrl.authorization]: ({ namespace, name }) => `${text(namespace)}/${text(name)}`,
  [TypeUrl.address]({ workload, service }) {
    if (isFields(workload)) return workload['uid'];
    return isFields(service) ? `${text(service['namespace'])}/${text(service['hostname'])}` : '';
  },
};

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The name a resource gives itself: `cluster_name` of an endpoint assignment, `name` of most others; '' if it has none. */
export function resourceNameIn(value: Fields, typeUrl = ''): string {
  const own = namedOtherwise[typeUrl]?.(value);
  return text(own ?? value['name'] ?? value['cluster_name'] ?? value['clusterName']);
}
