import { FakeIstiodError } from '../errors.ts';
import { mergeProxyConfig } from '../sidecar/merge-proxy-config.ts';
import type { MeshConfig } from '../sidecar/mesh-config.ts';
import { proxyConfigLayers } from '../sidecar/proxy-config-layers.ts';
import { envValue } from '../sidecar/read-env.ts';
import { readMeshConfig } from '../sidecar/read-mesh-config.ts';
import type { InjectedWorkload } from '../sidecar/workload.ts';
import { isLabFile, type LabFolder } from './lab-folder.ts';

/** Names that people give it. */
const usualName = /^(istio[-_.]?)?(mesh[-_.]?(config)?|config[-_.]?map|cm)([-_.]?istio)?\.(ya?ml|json)$/i;

/** The name of the mesh config in a folder: by its usual names, else by what the YAML and JSON files that are not the lab's hold. */
export function meshConfigIn(folder: LabFolder, maxInputBytes: number): string | undefined {
  if (folder.has('mesh-config.yaml')) return 'mesh-config.yaml';
  const candidates = folder.names.filter((name) => /\.(ya?ml|json)$/i.test(name) && !isLabFile(name));
  return candidates.find((name) => usualName.test(name)) ?? candidates.find((name) => isMeshConfig(folder.path(name), maxInputBytes));
}

function isMeshConfig(file: string, maxInputBytes: number): boolean {
  try {
    readMeshConfig(file, { maxInputBytes });
    return true;
  } catch (error) {
    FakeIstiodError.from(error);
    return false;
  }
}

/** What a workload tells of a mesh config that is not at hand; Istio's defaults for the rest. */
export function meshConfigOf(workload: InjectedWorkload | undefined): MeshConfig {
  const discoveryAddress = workload && effectiveAddress(workload);
  const trustDomain = workload && envValue(workload.proxy.env, 'TRUST_DOMAIN');
  const told = {
    ...(discoveryAddress === undefined ? {} : { defaultConfig: { discoveryAddress } }),
    ...(trustDomain ? { trustDomain } : {}),
  };
  return readMeshConfig({ name: 'mesh-config.yaml', bytes: Buffer.from(JSON.stringify(told)) });
}

/** The discovery address that the proxy would use: mesh config, PROXY_CONFIG, annotation, argument. */
export function effectiveAddress(workload: InjectedWorkload, mesh?: MeshConfig): string | undefined {
  const { value } = mergeProxyConfig(proxyConfigLayers(workload, mesh ? { mesh } : {}));
  const address = value['discoveryAddress'];
  return typeof address === 'string' ? address : undefined;
}
