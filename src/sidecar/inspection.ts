import type { Json } from '../envoy/json.ts';
import { problemText, type Problem, type SourcePosition } from '../errors.ts';
import { bootstrapAnnotations, type BootstrapAnnotation } from './bootstrap-annotations.ts';
import { isCaAddrSame } from './lab-lines.ts';
import { formText } from './manifest-form.ts';
import type { MeshConfig, Sourced } from './mesh-config.ts';
import { optional } from './pod-template.ts';
import { proxyConfigLayers, workloadProxyConfig } from './proxy-config-layers.ts';
import type { ProxyConfigSource } from './proxy-config.ts';
import { envText, envValue } from './read-env.ts';
import type { EnvEntry } from './env-entry.ts';
import type { WorkloadIdentity } from './workload-identity.ts';
import type { Flavour, InjectedWorkload } from './workload.ts';

/** One variable of the proxy's container. */
export interface InspectedVariable {
  readonly name: string;
  /** Known at injection (`value`), or only to the pod. */
  readonly source: EnvEntry['source'];
  /** The value, or `fieldRef:metadata.name` and its like. */
  readonly value: string;
  readonly line?: number;
}

/** A field of the merged ProxyConfig, and who set it. */
export interface InspectedField {
  /** `discoveryAddress`, `proxyMetadata.NAME`. */
  readonly name: string;
  readonly value: Json;
  readonly source: ProxyConfigSource;
  readonly at?: SourcePosition;
}

/** What a mesh config says, compared with the workload's CA_ADDR. */
export interface InspectedMesh {
  readonly file: string;
  readonly discoveryAddress: Sourced<string>;
  readonly rootNamespace: Sourced<string>;
  readonly trustDomain: Sourced<string>;
  /** CA_ADDR of the workload; undefined if it is not set, and pilot-agent then takes the discovery address. */
  readonly caAddr?: string;
  /** Character for character. */
  readonly caAddrSame: boolean;
}

/** All that `inspect` tells of a workload. */
export interface Inspection {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly at: SourcePosition;
  readonly flavour: Flavour;
  /** `Istio 1.5 to 1.7`, with what it was told from. */
  readonly release: { readonly text: string; readonly signs: readonly string[]; readonly image?: string };
  readonly container: { readonly name: string; readonly native: boolean; readonly image?: string; readonly at: SourcePosition };
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly role: string;
  readonly flags: Readonly<Record<string, string>>;
  readonly env: readonly InspectedVariable[];
  readonly envFrom: readonly string[];
  /** The `ISTIO_META_…` variables as node metadata has them: without the prefix. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly serviceAccount: string;
  readonly trustDomain?: string;
  readonly identity: WorkloadIdentity;
  readonly probes: readonly { readonly type: string; readonly text: string; readonly value: Json }[];
  readonly annotations: readonly BootstrapAnnotation[];
  /** What differs from Istio's defaults, and the discovery address in any case. */
  readonly proxyConfig: readonly InspectedField[];
  readonly mesh?: InspectedMesh;
  /** `file:line:column: …`, a line each. */
  readonly warnings: readonly string[];
}

/** Looks at one workload, with the mesh config if there is one. A ProxyConfig that cannot be read is left out; `readManifest` has told of it. */
export function inspectWorkload(workload: InjectedWorkload, mesh?: MeshConfig): Inspection {
  const { proxy, pod, positionOf } = workload;
  return {
    kind: workload.kind,
    name: workload.name,
    ...optional('namespace', workload.namespace),
    at: positionOf(workload.path),
    flavour: workload.flavour,
    release: { text: formText(workload.form), signs: workload.form.signs, ...optional('image', workload.form.imageRelease) },
    container: { name: proxy.name, native: proxy.native, ...optional('image', proxy.image), at: positionOf(proxy.path) },
    command: proxy.args.command,
    args: proxy.args.raw,
    role: proxy.args.role,
    flags: proxy.args.flags,
    env: proxy.env.map((entry) => ({
      name: entry.name,
      source: entry.source,
      value: envText(entry),
      ...optional('line', positionOf(entry.path).line),
    })),
    envFrom: proxy.envFrom,
    metadata: metadataOf(proxy.env),
    serviceAccount: pod.serviceAccount ?? 'default',
    ...optional('trustDomain', envValue(proxy.env, 'TRUST_DOMAIN') ?? proxy.args.flags['trust-domain']),
    identity: workload.identity,
    probes: proxy.probes.map(({ type, httpGet, value }) => ({ type, text: probeText(httpGet, value), value })),
    annotations: bootstrapAnnotations(workload),
    proxyConfig: fieldsOf(workload, mesh),
    ...(mesh ? { mesh: meshOf(workload, mesh) } : {}),
    warnings: warningsOf(workload, mesh).map(problemText),
  };
}

function metadataOf(env: readonly EnvEntry[]): Readonly<Record<string, string>> {
  const prefix = 'ISTIO_META_';
  return Object.fromEntries(
    env.filter(({ name }) => name.startsWith(prefix)).map((entry) => [entry.name.slice(prefix.length), envText(entry)]),
  );
}

function probeText(httpGet: InjectedWorkload['proxy']['probes'][number]['httpGet'], value: Readonly<Record<string, Json>>): string {
  const how = httpGet ? `GET :${httpGet.port}${httpGet.path}` : (['exec', 'tcpSocket', 'grpc'].find((key) => key in value) ?? 'nothing');
  const times = [
    ['initialDelaySeconds', 'after', 's'],
    ['periodSeconds', 'every', 's'],
    ['timeoutSeconds', 'within', 's'],
    ['failureThreshold', 'fails after', ' times'],
  ] as const;
  const told = times.flatMap(([key, word, unit]) => (typeof value[key] === 'number' ? `${word} ${value[key]}${unit}` : []));
  return [how, ...told].join(', ');
}

function fieldsOf(workload: InjectedWorkload, mesh: MeshConfig | undefined): readonly InspectedField[] {
  const { value, origins } = workloadProxyConfig(workload, { skipBroken: true, ...optional('mesh', mesh) });
  return Object.entries(origins)
    .filter(([name, { source }]) => (source !== 'default' || name === 'discoveryAddress') && name !== 'proxyMetadata')
    .map(([name, { source, at }]) => ({ name, value: fieldValue(value, name), source, ...optional('at', at) }));
}

function fieldValue(value: Readonly<Record<string, Json>>, name: string): Json {
  const [, key] = /^proxyMetadata\.(.*)$/s.exec(name) ?? [];
  if (key === undefined) return value[name] ?? null;
  return (value['proxyMetadata'] as Readonly<Record<string, Json>> | undefined)?.[key] ?? null;
}

function meshOf(workload: InjectedWorkload, mesh: MeshConfig): InspectedMesh {
  const caAddr = envValue(workload.proxy.env, 'CA_ADDR');
  const { file, discoveryAddress, rootNamespace, trustDomain } = mesh;
  return { file, discoveryAddress, rootNamespace, trustDomain, ...optional('caAddr', caAddr), caAddrSame: isCaAddrSame(workload, mesh) };
}

function warningsOf(workload: InjectedWorkload, mesh: MeshConfig | undefined): readonly Problem[] {
  const layers = proxyConfigLayers(workload, { skipBroken: true, ...optional('mesh', mesh) });
  return [
    ...workload.warnings,
    ...(mesh?.warnings ?? []),
    ...layers.flatMap(({ warnings = [] }) => warnings),
    ...portWarnings(workload, mesh),
  ];
}

/** 15010 is plaintext and 15012 is TLS; which of the two pilot-agent speaks is said by controlPlaneAuthPolicy. */
function portWarnings(workload: InjectedWorkload, mesh: MeshConfig | undefined): readonly Problem[] {
  const { value, origins } = workloadProxyConfig(workload, { skipBroken: true, ...optional('mesh', mesh) });
  const address = String(value['discoveryAddress']);
  const at = origins['discoveryAddress']?.at;
  const isPlain = value['controlPlaneAuthPolicy'] === 'NONE';
  if (address.endsWith(':15010') && !isPlain) {
    const what = `discoveryAddress ${address} is istiod's plaintext port, and pilot-agent speaks TLS to it`;
    return [{ ...optional('at', at), what, remedy: 'Use port 15012, or controlPlaneAuthPolicy: NONE as well' }];
  }
  if (address.endsWith(':15012') && isPlain) {
    const what = `controlPlaneAuthPolicy NONE makes pilot-agent speak plaintext to ${address}, which is istiod's TLS port`;
    return [{ ...optional('at', origins['controlPlaneAuthPolicy']?.at), what, remedy: 'Use port 15010, or MUTUAL_TLS' }];
  }
  return [];
}
