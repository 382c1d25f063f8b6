import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import type { Problem } from '../errors.ts';
import type { AgentSettings } from './agent-settings.ts';
import { goBool } from './go-text.ts';
import type { Origin, Origins, Told } from './origin.ts';
import type { Release, ReleaseFeatures } from './release-line.ts';

export interface NodeMetadataInput {
  readonly env: ReadonlyMap<string, Told<string>>;
  readonly settings: AgentSettings;
  readonly features: ReleaseFeatures;
  readonly release: Told<Release>;
  /** The merged ProxyConfig as protobuf's JSON. */
  readonly proxyConfig: JsonObject;
  /** Origin of one field of it: `discoveryAddress`, `proxyMetadata.NAME`. */
  readonly proxyConfigOrigin: (field: string) => readonly Origin[];
  readonly labels: Told<Readonly<Record<string, string>>>;
  readonly annotations: Told<Readonly<Record<string, string>>>;
  /** Sockets of somebody else that pilot-agent finds when it starts. */
  readonly sockets: { readonly workload: boolean; readonly credential: boolean };
}

export interface NodeMetadata {
  readonly metadata: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
  readonly locality: JsonObject;
  /** What makes pilot-agent exit. */
  readonly problems: readonly Problem[];
}

const prefix = 'ISTIO_META_';
const jsonPrefix = 'ISTIO_METAJSON_';
/** Metadata that pilot-agent holds as a boolean and writes as text; false is written as it was given. */
const booleans = [
  'DNS_CAPTURE',
  'DNS_AUTO_ALLOCATE',
  'ENABLE_HBONE',
  'DISABLE_HBONE_SEND',
  'INBOUND_LISTENER_EXACT_BALANCE',
  'OUTBOUND_LISTENER_EXACT_BALANCE',
];
/** Metadata that is a map, a list or a number to pilot-agent: a text there makes it exit. */
const notTexts = [
  'LABELS',
  'STATIC_LABELS',
  'ANNOTATIONS',
  'PROXY_CONFIG',
  'PLATFORM_METADATA',
  'PILOT_SAN',
  'ENVOY_STATUS_PORT',
  'ENVOY_PROMETHEUS_PORT',
];

/**
 * `node.metadata` as pilot-agent derives it: every `ISTIO_META_X` of the environment (and of ProxyConfig's `proxyMetadata`) as `X`, then what
 * pilot-agent knows itself. Keys it does not know are kept as they are.
 *
 * @see istio pkg/bootstrap/config.go:GetNodeMetaData, pkg/bootstrap/option/convert.go:marshalMetadata
 */
export function nodeMetadata(input: NodeMetadataInput, origins: Origins): NodeMetadata {
  const problems: Problem[] = [];
  const raw = givenMetadata(input, origins, problems);
  const typed = typedMetadata(raw, input, problems);
  const labels = proxyLabels(raw, input);
  const place = locality(labels, input.features);
  const own = agentMetadata(input, raw, labels, origins);
  const all: Record<string, Json> = { ...Object.fromEntries(raw), ...typed, ...own };
  const metadata = Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { metadata, labels, locality: place, problems };
}

/** All `ISTIO_META_*`: the environment over `proxyMetadata`, `ISTIO_METAJSON_*` over both. */
function givenMetadata(
  { env, proxyConfig, proxyConfigOrigin, features }: NodeMetadataInput,
  origins: Origins,
  problems: Problem[],
): Map<string, Json> {
  const raw = new Map<string, Json>();
  const put = (key: string, value: Json, from: readonly Origin[]): void => {
    raw.set(key, value);
    origins.note(['node', 'metadata', key], ...from);
  };
  const proxyMetadata = proxyConfig['proxyMetadata'];
  for (const [name, value] of Object.entries(isJsonObject(proxyMetadata) ? proxyMetadata : {})) {
    if (name.startsWith(prefix)) put(name.slice(prefix.length), value, proxyConfigOrigin(`proxyMetadata.${name}`));
  }
  for (const [name, { value, from }] of env) if (name.startsWith(prefix)) put(name.slice(prefix.length), value, from);
  for (const [name, { value, from }] of env) {
    if (!name.startsWith(jsonPrefix)) continue;
    const object = jsonObject(value);
    if (!object) problems.push(unreadableJson(name, from));
    for (const [key, each] of Object.entries(object ?? {})) put(key, each, from);
  }
  const dns = env.get('DNS_PROXY_ADDR');
  if (features.secureMetrics && dns && dns.value !== '') put('DNS_PROXY_ADDR', dns.value, dns.from);
  return raw;
}

/** @note pilot-agent only warns of it and goes on without. */
function unreadableJson(name: string, from: readonly Origin[]): Problem {
  return { ...at(from), what: `${name} holds no JSON object: pilot-agent warns of it and leaves it out` };
}

function at(from: readonly Origin[]): Pick<Problem, 'at'> {
  const place = from.find((origin) => origin.at)?.at;
  return place ? { at: place } : {};
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What pilot-agent writes in another form than it was given. */
function typedMetadata(raw: ReadonlyMap<string, Json>, input: NodeMetadataInput, problems: Problem[]): Record<string, Json> {
  const typed: Record<string, Json> = {};
  const exits = (key: string, expected: string): void => {
    const from = input.env.get(`${prefix}${key}`)?.from ?? input.proxyConfigOrigin(`proxyMetadata.${prefix}${key}`);
    problems.push({
      ...at(from),
      what: `${prefix}${key} is ${JSON.stringify(raw.get(key))}, and pilot-agent exits: it expects ${expected}`,
    });
  };
  for (const key of [...booleans, ...(input.features.secureMetrics ? ['ENABLE_SELF_DISCOVERY'] : [])]) {
    const value = raw.get(key);
    if (value === undefined) continue;
    const read = typeof value === 'string' ? goBool(value) : undefined;
    if (read === undefined) exits(key, 'true or false, as text');
    else if (read) typed[key] = 'true';
  }
  for (const key of notTexts) if (typeof raw.get(key) === 'string') exits(key, 'no text there; it writes this key itself');
  const ports = raw.get('POD_PORTS');
  if (typeof ports === 'string') {
    const list = podPorts(ports);
    if (!list) exits('POD_PORTS', 'a JSON list of { name, containerPort, protocol }');
    else if (list.length > 0) typed['POD_PORTS'] = JSON.stringify(list);
  }
  return typed;
}

/** @note Each port gets a `protocol`, if only an empty one: the field has no "omit if empty". */
function podPorts(text: string): readonly JsonObject[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    if (list === null) return [];
    if (!Array.isArray(list)) return undefined;
    return list.map((port: unknown) => {
      if (!isJsonObject(port)) throw new TypeError('no port');
      const { name = '', containerPort = 0, protocol = '' } = port;
      return { ...(name === '' ? {} : { name }), containerPort, protocol };
    });
  } catch {
    return undefined;
  }
}

/** Labels of the pod (without the hash of its ReplicaSet) over those of `ISTIO_METAJSON_LABELS`. */
function proxyLabels(raw: ReadonlyMap<string, Json>, { labels, env, features }: NodeMetadataInput): Record<string, string> {
  const given = jsonObject(env.get('ISTIO_METAJSON_LABELS')?.value ?? '') ?? {};
  const all: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) if (typeof value === 'string') all[key] = value;
  for (const [key, value] of Object.entries(labels.value)) if (key !== 'pod-template-hash') all[key] = value;
  const place = localityLabel(all, features);
  if (place !== '') all['istio-locality'] = place;
  return all;
}

/** Kubernetes has no `/` in labels, so Istio takes `.` for it. */
function localityLabel(labels: Readonly<Record<string, string>>, features: ReleaseFeatures): string {
  const text = features.localityLabels.map((name) => labels[name]).find((value) => value !== undefined) ?? '';
  return text.includes('/') ? text : text.replaceAll('.', '/');
}

function locality(labels: Readonly<Record<string, string>>, features: ReleaseFeatures): JsonObject {
  const [region = '', zone = '', subZone = ''] = localityLabel(labels, features).split('/');
  return {
    ...(region === '' ? {} : { region }),
    ...(zone === '' ? {} : { zone }),
    ...(subZone === '' ? {} : { sub_zone: subZone }),
  };
}

/** The keys that pilot-agent writes itself, over whatever was given. */
function agentMetadata(
  input: NodeMetadataInput,
  raw: ReadonlyMap<string, Json>,
  labels: Readonly<Record<string, string>>,
  origins: Origins,
): Record<string, Json> {
  const { env, settings, proxyConfig } = input;
  const own: Record<string, Json> = {};
  const put = (key: string, value: Json | undefined, from: readonly Origin[]): void => {
    if (value === undefined || value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)) return;
    own[key] = value;
    origins.note(['node', 'metadata', key], ...from);
  };
  for (const [key, name] of Object.entries({ NAME: 'POD_NAME', NAMESPACE: 'POD_NAMESPACE', SERVICE_ACCOUNT: 'SERVICE_ACCOUNT' })) {
    const told = env.get(name);
    if (told) put(key, told.value, told.from);
  }
  const { ips, statusPort, prometheusPort, skipDeprecatedLogs, exitOnZeroActiveConnections, workloadSocketFile } = settings;
  put('INSTANCE_IPS', ips.value.join(','), ips.from);
  if (!raw.get('ISTIO_VERSION')) put('ISTIO_VERSION', input.release.value.version, input.release.from);
  put('LABELS', labels, input.labels.from);
  put('STATIC_LABELS', jsonObject(env.get('ISTIO_METAJSON_LABELS')?.value ?? ''), env.get('ISTIO_METAJSON_LABELS')?.from ?? []);
  put('ANNOTATIONS', { ...objectOf(raw.get('ANNOTATIONS')), ...input.annotations.value }, input.annotations.from);
  put('PROXY_CONFIG', proxyConfig, [{ text: 'the merged ProxyConfig' }]);
  for (const field of Object.keys(proxyConfig))
    origins.note(['node', 'metadata', 'PROXY_CONFIG', field], ...input.proxyConfigOrigin(field));
  put('PILOT_SAN', pilotNames(proxyConfig), [{ text: 'host of discoveryAddress' }, ...input.proxyConfigOrigin('discoveryAddress')]);
  put('ENVOY_STATUS_PORT', statusPort.value || undefined, statusPort.from);
  put('ENVOY_PROMETHEUS_PORT', prometheusPort.value || undefined, prometheusPort.from);
  if (skipDeprecatedLogs.value) put('ENVOY_SKIP_DEPRECATED_LOGS', 'true', skipDeprecatedLogs.from);
  if (exitOnZeroActiveConnections.value) put('EXIT_ON_ZERO_ACTIVE_CONNECTIONS', 'true', exitOnZeroActiveConnections.from);
  const discovery = settings.metadataDiscovery;
  const hbone = goBool(String(raw.get('ENABLE_HBONE') ?? 'false')) ?? false;
  put('METADATA_DISCOVERY', String(discovery?.value ?? hbone), discovery?.from ?? [{ text: 'as ENABLE_HBONE is' }]);
  put('WORKLOAD_IDENTITY_SOCKET_FILE', workloadSocketFile.value, workloadSocketFile.from);
  put('OUTLIER_LOG_PATH', settings.outlierLogPath, [{ text: 'argument --outlierLogPath' }]);
  if (settings.stsPort !== 0) put('STS_PORT', String(settings.stsPort), [{ text: 'argument --stsPort' }]);
  if (input.features.secureMetrics) putSecurePorts(input, put);
  if (input.sockets.credential) put('credential', 'true', [{ text: 'the socket of a credential server' }]);
  if (input.sockets.workload) put('file-credential', 'true', [{ text: 'the workload socket of somebody else, e.g. SPIRE' }]);
  return own;
}

function putSecurePorts({ env }: NodeMetadataInput, put: (key: string, value: Json | undefined, from: readonly Origin[]) => void): void {
  for (const key of ['ENVOY_SECURE_METRICS_PORT', 'ENVOY_SECURE_MERGED_METRICS_PORT']) {
    const told = env.get(key);
    if (told && /^\d+$/.test(told.value)) put(key, Number(told.value) || undefined, told.from);
  }
}

function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Whom istiod's certificate must name; none where it is not checked. @see istio pilot/cmd/pilot-agent/config/config.go:GetPilotSan */
function pilotNames(proxyConfig: JsonObject): Json | undefined {
  if (proxyConfig['controlPlaneAuthPolicy'] !== 'MUTUAL_TLS') return undefined;
  const host = String(proxyConfig['discoveryAddress'] ?? '').split(':')[0] ?? '';
  return [host === 'localhost' ? 'istiod.istio-system.svc' : host];
}
