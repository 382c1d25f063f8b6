import type { Json, JsonObject } from '../envoy/json.ts';
import { FakeIstiodError } from '../errors.ts';
import type { DocumentPath, PositionOf } from '../protobuf/document.ts';
import { readInnerDocument } from '../protobuf/inner-document.ts';
import { proxyConfigMessage, readApiValue } from './api-fields.ts';
import { mergeProxyConfig } from './merge-proxy-config.ts';
import type { MeshConfig } from './mesh-config.ts';
import type { MergedProxyConfig, ProxyConfigLayer } from './proxy-config.ts';
import { meshDefaults } from './read-mesh-config.ts';
import type { InjectedWorkload } from './workload.ts';

/** @see istio pkg/config/mesh/mesh.go:DefaultProxyConfig */
export const defaultProxyConfig: JsonObject = {
  configPath: './etc/istio/proxy',
  serviceCluster: 'istio-proxy',
  drainDuration: '45s',
  terminationDrainDuration: '5s',
  proxyAdminPort: 15_000,
  controlPlaneAuthPolicy: 'MUTUAL_TLS',
  discoveryAddress: meshDefaults.discoveryAddress,
  binaryPath: '/usr/local/bin/envoy',
  statNameLength: 189,
  statusPort: 15_020,
};

export interface ProxyConfigOptions {
  /** The mesh config file that pilot-agent finds; of a sidecar it is normally not there, and PROXY_CONFIG holds what differs from the defaults. */
  readonly mesh?: MeshConfig;
  /** Whether arguments of releases before 1.6 count, as with their own pilot-agent. Default: for manifests of these releases. */
  readonly oldArguments?: boolean;
  /** What ISTIO_CPU_LIMIT tells the container: the number of worker threads, unless one is configured. */
  readonly cpuLimit?: number;
  /** Leaves out a layer that cannot be read, instead of throwing. */
  readonly skipBroken?: boolean;
}

/**
 * The ProxyConfig that pilot-agent works with, and which layer gave each value.
 *
 * @throws FakeIstiodError `input.syntax` or `mesh-config.invalid` for YAML in PROXY_CONFIG or an annotation, with its place in the manifest.
 * @see istio pilot/cmd/pilot-agent/config/config.go:ConstructProxyConfig
 */
export function workloadProxyConfig(workload: InjectedWorkload, options: ProxyConfigOptions = {}): MergedProxyConfig {
  const merged = mergeProxyConfig(proxyConfigLayers(workload, options));
  const { cpuLimit } = options;
  if (merged.value['concurrency'] !== undefined || cpuLimit === undefined || cpuLimit === 0) return merged;
  return {
    value: { ...merged.value, concurrency: cpuLimit },
    origins: { ...merged.origins, concurrency: { source: 'ISTIO_CPU_LIMIT' } },
  };
}

/** The layers of a workload's ProxyConfig, the weakest first. */
export function proxyConfigLayers(workload: InjectedWorkload, options: ProxyConfigOptions = {}): readonly ProxyConfigLayer[] {
  const { mesh, oldArguments = !workload.form.current } = options;
  return [
    { source: 'default', value: defaultProxyConfig },
    ...(mesh ? [meshLayer(mesh)] : []),
    ...innerLayers(workload, options),
    ...argumentLayer(workload, oldArguments),
    ...annotationLayers(workload),
  ];
}

function meshLayer({ defaultConfig, positionOf }: MeshConfig): ProxyConfigLayer {
  return { source: 'mesh-config', value: defaultConfig, positionOf: (path, of) => positionOf(['defaultConfig', ...path], of) };
}

/** What the manifest itself says, as YAML in a text: PROXY_CONFIG, and the annotation over it. */
function innerLayers(workload: InjectedWorkload, { skipBroken = false }: ProxyConfigOptions): readonly ProxyConfigLayer[] {
  return innerSources(workload).flatMap(([source, path]) => {
    const layer = innerLayer(workload, source, path);
    if (layer instanceof FakeIstiodError && !skipBroken) throw layer;
    return layer === undefined || layer instanceof FakeIstiodError ? [] : [layer];
  });
}

/** Why a ProxyConfig in a manifest cannot be read, of each of them. */
export function proxyConfigErrors(workload: InjectedWorkload): readonly FakeIstiodError[] {
  return innerSources(workload)
    .map(([source, path]) => innerLayer(workload, source, path))
    .filter((layer) => layer instanceof FakeIstiodError);
}

function innerSources({ proxy, pod }: InjectedWorkload): readonly (readonly [ProxyConfigLayer['source'], DocumentPath])[] {
  const entry = proxy.env.findLast(({ name }) => name === 'PROXY_CONFIG');
  return [
    ...(entry?.source === 'value' ? [['PROXY_CONFIG', [...entry.path, 'value']] as const] : []),
    ['annotation', [...pod.path, 'metadata', 'annotations', 'proxy.istio.io/config']],
  ];
}

function innerLayer(
  { document }: InjectedWorkload,
  source: ProxyConfigLayer['source'],
  path: DocumentPath,
): ProxyConfigLayer | FakeIstiodError | undefined {
  try {
    const inner = readInnerDocument(document, path);
    if (!inner || inner.value === null) return undefined;
    const { value, problems, warnings, positionOf } = readApiValue(proxyConfigMessage, inner.value, inner.positionOf);
    return problems.length > 0 ? FakeIstiodError.of('mesh-config.invalid', problems) : { source, value, positionOf, warnings };
  } catch (error) {
    const known = FakeIstiodError.from(error);
    if (known.code === 'internal') throw error;
    return known;
  }
}

/** Arguments that were fields of ProxyConfig before release 1.6, by field. @see istio 1.5 pilot/cmd/pilot-agent/main.go */
const oldFlags: Readonly<Record<string, string>> = {
  discoveryAddress: 'discoveryAddress',
  configPath: 'configPath',
  binaryPath: 'binaryPath',
  serviceCluster: 'serviceCluster',
  drainDuration: 'drainDuration',
  parentShutdownDuration: 'parentShutdownDuration',
  proxyAdminPort: 'proxyAdminPort',
  controlPlaneAuthPolicy: 'controlPlaneAuthPolicy',
  statusPort: 'statusPort',
  statsdUdpAddress: 'statsdUdpAddress',
  zipkinAddress: 'zipkinAddress',
};
const numbers: readonly string[] = ['proxyAdminPort', 'statusPort'];

function argumentLayer({ proxy, positionOf }: InjectedWorkload, old: boolean): readonly ProxyConfigLayer[] {
  const { flags } = proxy.args;
  const value: Record<string, Json> = {};
  for (const [flag, field] of old ? Object.entries(oldFlags) : []) {
    const text = flags[flag];
    if (text !== undefined && text !== '') value[field] = numbers.includes(field) ? Number(text) : text;
  }
  const concurrency = Number(flags['concurrency'] ?? 0);
  if (Number.isInteger(concurrency) && concurrency > 0) value['concurrency'] = concurrency;
  if (Object.keys(value).length === 0) return [];
  const positionOfFlag: PositionOf = ([field]) => positionOf([...proxy.path, 'args', indexOfFlag(proxy.args.raw, String(field))]);
  return [{ source: 'argument', value, positionOf: positionOfFlag }];
}

function indexOfFlag(raw: readonly string[], flag: string): number {
  return Math.max(
    0,
    raw.findIndex((arg) => arg === `--${flag}` || arg.startsWith(`--${flag}=`)),
  );
}

/** @see istio pilot/cmd/pilot-agent/config/config.go:applyAnnotations */
function annotationLayers({ pod, positionOf }: InjectedWorkload): readonly ProxyConfigLayer[] {
  const address = pod.annotations['sidecar.istio.io/discoveryAddress'];
  const port = Number(pod.annotations['status.sidecar.istio.io/port'] ?? Number.NaN);
  const layer = (key: string, value: JsonObject): ProxyConfigLayer => ({
    source: 'annotation',
    value,
    positionOf: () => positionOf([...pod.path, 'metadata', 'annotations', key]),
  });
  return [
    ...(address === undefined ? [] : [layer('sidecar.istio.io/discoveryAddress', { discoveryAddress: address })]),
    ...(Number.isInteger(port) ? [layer('status.sidecar.istio.io/port', { statusPort: port })] : []),
  ];
}
