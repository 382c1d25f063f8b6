import { resourceType, TypeUrl } from '../protocol/resource-type.ts';
import type { ServedSnapshot } from '../session/node-state.ts';
import { resourceJson } from './resource-json.ts';

type Json = Readonly<Record<string, unknown>>;

/** How one section of Envoy's admin API holds resources (envoy.admin.v3.ClustersConfigDump and its like). */
interface Section {
  readonly message: string;
  readonly list: string;
  /** One member of the list, around the resource. */
  entry(name: string, version: string, resource: Json): Json;
}

const sections: Readonly<Record<string, Section>> = {
  [TypeUrl.cluster]: {
    message: 'ClustersConfigDump',
    list: 'dynamicActiveClusters',
    entry: (_, version, cluster) => ({ versionInfo: version, cluster }),
  },
  [TypeUrl.listener]: {
    message: 'ListenersConfigDump',
    list: 'dynamicListeners',
    entry: (name, version, listener) => ({ name, activeState: { versionInfo: version, listener } }),
  },
  [TypeUrl.route]: {
    message: 'RoutesConfigDump',
    list: 'dynamicRouteConfigs',
    entry: (_, version, routeConfig) => ({ versionInfo: version, routeConfig }),
  },
  [TypeUrl.endpoint]: {
    message: 'EndpointsConfigDump',
    list: 'dynamicEndpointConfigs',
    entry: (_, version, endpointConfig) => ({ versionInfo: version, endpointConfig }),
  },
  [TypeUrl.secret]: {
    message: 'SecretsConfigDump',
    list: 'dynamicActiveSecrets',
    entry: (name, version, secret) => ({ name, versionInfo: version, secret: redacted(secret) }),
  },
  [TypeUrl.extensionConfig]: {
    message: 'EcdsConfigDump',
    list: 'ecdsFilters',
    entry: (_, version, ecdsFilter) => ({ versionInfo: version, ecdsFilter }),
  },
};

/** What a snapshot serves, as an Envoy that has taken all of it would dump it. Types that Envoy does not dump are left out. */
export function configDump({ types, version }: ServedSnapshot): readonly Json[] {
  return types
    .filter(({ typeUrl }) => sections[typeUrl])
    .flatMap(({ typeUrl, resources }) => {
      const written = resources.map(({ name, value }) => ({ name, resource: resourceJson(typeUrl, name, value) }));
      const section = dumpSection(typeUrl, version, written);
      return section ? [section] : [];
    });
}

/** A section of a dump that holds these resources, each in JSON's form of an Any; undefined for a type that Envoy does not dump. */
export function dumpSection(
  typeUrl: string,
  version: string,
  resources: readonly { readonly name: string; readonly resource: Json }[],
): Json | undefined {
  const section = sections[typeUrl];
  if (!section) return undefined;
  const { message, list, entry } = section;
  const fullState = resourceType(typeUrl).fullState ? { versionInfo: version } : {};
  const entries = resources.map(({ name, resource }) => entry(name, version, resource));
  return { '@type': `type.googleapis.com/envoy.admin.v3.${message}`, ...fullState, [list]: entries };
}

/** Fields of a Secret that Envoy redacts (envoy source/common/protobuf/utility.cc, fields marked `sensitive`). */
const sensitive = new Set(['privateKey', 'password', 'privateKeyProvider', 'keys', 'secret', 'secrets']);
const redactedText = '[redacted]';

/** A message without what nobody may read. */
export function redacted(value: Json, inside = false): Json {
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, redactedValue(key, child, inside || sensitive.has(key))]));
}

/** A data source keeps its form: a file's name tells nothing, what stands inline does. */
function redactedValue(key: string, value: unknown, secret: boolean): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => redactedValue(key, item, secret));
  if (typeof value === 'object' && value !== null) return redacted(value as Json, secret);
  if (!secret || typeof value !== 'string' || key === 'filename' || key === '@type') return value;
  return key === 'inlineBytes' ? Buffer.from(redactedText).toString('base64') : redactedText;
}
