import { FakeIstiodError } from '../errors.ts';
import { readDocument, type DocumentSource } from '../protobuf/document.ts';
import { proxyConfigMessage, readApiValue } from '../sidecar/api-fields.ts';
import { mergeProxyConfig } from '../sidecar/merge-proxy-config.ts';
import { defaultProxyConfig } from '../sidecar/proxy-config-layers.ts';
import type { MergedProxyConfig, ProxyConfigLayer } from '../sidecar/proxy-config.ts';
import { readMeshConfig } from '../sidecar/read-mesh-config.ts';

export interface PodProxyConfigOptions {
  /** The mesh config file, if there is one. */
  readonly meshConfigFile: string | undefined;
  /** The variable PROXY_CONFIG. */
  readonly env: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** `--concurrency`; 0 and undefined are not given. */
  readonly concurrency: number | undefined;
}

const annotation = 'proxy.istio.io/config';

/**
 * The ProxyConfig of a running pod: defaults, mesh config, PROXY_CONFIG, annotation, the later over the earlier (istio
 * pilot/cmd/pilot-agent/config/config.go). Errors `input.…` and `mesh-config.invalid`, with line and column in the part that is wrong.
 */
export function podProxyConfig({ meshConfigFile, env, annotations, concurrency }: PodProxyConfigOptions): MergedProxyConfig {
  const mesh = meshConfigFile === undefined ? undefined : readMeshConfig(meshConfigFile);
  const text = annotations[annotation];
  const discoveryAddress = annotations['sidecar.istio.io/discoveryAddress'];
  return mergeProxyConfig([
    { source: 'default', value: defaultProxyConfig },
    ...(mesh ? [{ source: 'mesh-config', value: mesh.defaultConfig } as const] : []),
    ...(env === undefined ? [] : layer('PROXY_CONFIG', { name: 'PROXY_CONFIG', bytes: Buffer.from(env) })),
    ...(text === undefined ? [] : layer('annotation', { name: `annotation ${annotation}`, bytes: Buffer.from(text) })),
    ...(discoveryAddress === undefined ? [] : [{ source: 'annotation', value: { discoveryAddress } } as const]),
    ...(concurrency ? [{ source: 'argument', value: { concurrency } } as const] : []),
  ]);
}

function layer(source: ProxyConfigLayer['source'], from: DocumentSource): readonly ProxyConfigLayer[] {
  const document = readDocument(from);
  if (document.value === null) return [];
  const { value, problems, positionOf } = readApiValue(proxyConfigMessage, document.value, document.positionOf);
  if (problems.length > 0) throw FakeIstiodError.of('mesh-config.invalid', problems);
  return [{ source, value, positionOf }];
}
