import { isJsonObject } from '../envoy/index.ts';
import { bootstrapFacts } from './bootstrap-facts.ts';
import { quoted } from './evidence.ts';
import { asJson, field } from './json-access.ts';
import { meshFacts } from './mesh-facts.ts';
import type { Reading, ReadValue } from './reading.ts';

const bootstrapKeys = ['static_resources', 'dynamic_resources', 'layered_runtime', 'cluster_manager', 'stats_config', 'admin'];
const meshKeys = [
  'defaultConfig',
  'rootNamespace',
  'trustDomain',
  'defaultProviders',
  'enablePrometheusMerge',
  'meshMTLS',
  'accessLogFile',
  'enableAutoMtls',
  'outboundTrafficPolicy',
  'mixerCheckServer',
  'extensionProviders',
  'sdsUdsPath',
];
const proxyConfigKeys = ['discoveryAddress', 'controlPlaneAuthPolicy', 'proxyMetadata', 'proxyAdminPort', 'serviceCluster'];

/** A bootstrap (bare, or as `istioctl proxy-config bootstrap` wraps it), a MeshConfig or a ProxyConfig. */
export function readPlainConfig(
  source: string,
  { value, positionOf }: ReadValue,
  base: readonly (string | number)[] = [],
): Reading | undefined {
  const json = asJson(value);
  if (!isJsonObject(json)) return undefined;
  if ('xds_servers' in json)
    return { source, kind: 'bootstrap', facts: [], notes: [`${source} is a bootstrap of gRPC's own xDS client, not of Envoy`] };
  const has = (keys: readonly string[]): boolean => keys.some((key) => field(json, key) !== undefined);
  if (isJsonObject(json['bootstrap']))
    return readPlainConfig(source, { value: json['bootstrap'], positionOf: (path, of) => positionOf(['bootstrap', ...path], of) }, base);
  if (has(bootstrapKeys)) {
    const bootstrap = bootstrapFacts(json, positionOf, base);
    return { source, kind: 'bootstrap', facts: [{ fact: 'bootstrap', ...quoted(bootstrap.at, 'the bootstrap'), bootstrap }], notes: [] };
  }
  if (!has(meshKeys) && !has(proxyConfigKeys)) return undefined;
  const mesh = meshFacts(json, positionOf, base);
  return { source, kind: 'mesh config', facts: [{ fact: 'mesh', ...quoted(positionOf(base), 'the mesh config'), mesh }], notes: [] };
}
