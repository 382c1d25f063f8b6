import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import type { MergedProxyConfig, ProxyConfigLayer, ProxyConfigOrigin } from './proxy-config.ts';

/** Of two fields that cannot both be, the later one stays. @see ProxyConfig.cluster_name */
const exclusive: Readonly<Record<string, string>> = { serviceCluster: 'tracingServiceName', tracingServiceName: 'serviceCluster' };

/**
 * Lays ProxyConfigs over each other as pilot-agent does: a field of a later one replaces that of an earlier one as a whole, lists and
 * messages too; but `proxyMetadata` is merged key by key, and `proxyHeaders` keeps the headers that the later one does not name.
 *
 * @see istio pkg/config/mesh/mesh.go:MergeProxyConfig
 */
export function mergeProxyConfig(layers: readonly ProxyConfigLayer[]): MergedProxyConfig {
  const value: Record<string, Json> = {};
  const origins: Record<string, ProxyConfigOrigin> = {};
  for (const layer of layers) {
    for (const [field, wanted] of Object.entries(layer.value)) {
      const rival = exclusive[field];
      if (rival !== undefined) {
        delete value[rival];
        delete origins[rival];
      }
      value[field] = mergedField(field, value[field], wanted);
      origins[field] = originOf(layer, [field]);
      if (field !== 'proxyMetadata' || !isJsonObject(wanted)) continue;
      for (const key of Object.keys(wanted)) origins[`${field}.${key}`] = originOf(layer, [field, key]);
    }
  }
  return { value, origins };
}

function originOf({ source, positionOf }: ProxyConfigLayer, path: readonly string[]): ProxyConfigOrigin {
  return { source, ...(positionOf ? { at: positionOf(path) } : {}) };
}

/** @see istio pkg/config/mesh/mesh.go:correctProxyHeaders, which knows these five */
const keptHeaders = ['forwardedClientCert', 'requestId', 'attemptCount', 'server', 'envoyDebugHeaders'];

function mergedField(field: string, before: Json | undefined, wanted: Json): Json {
  if (!isJsonObject(before) || !isJsonObject(wanted)) return wanted;
  if (field === 'proxyMetadata') return { ...before, ...wanted };
  if (field !== 'proxyHeaders') return wanted;
  return { ...only(before, keptHeaders), ...wanted };
}

function only(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => keys.includes(key)));
}
