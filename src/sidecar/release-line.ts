/** The minor releases of Istio whose pilot-agent bootstrap is known here, oldest first. */
export const releaseLines = ['1.26', '1.27', '1.28', '1.29', '1.30', '1.31'] as const;
export type ReleaseLine = (typeof releaseLines)[number];

/** What differs between the bootstraps of the release lines. What is the same in all stands in the code that writes it. */
export interface ReleaseFeatures {
  /** Where the limit of downstream connections is written: a runtime flag, a resource monitor, one that `proxyMetadata` can set. */
  readonly connectionLimit: 'runtime' | 'monitor' | 'settable monitor';
  /** Runtime flags besides the common ones. */
  readonly runtimeFlags: Readonly<Record<string, boolean>>;
  /** `sidecar.istio.io/statsCompression` picks one compressor; later all three are always there. */
  readonly statsCompression: 'annotation' | 'all';
  /** Annotations `statsFlushInterval` and `statsEvictionInterval`. */
  readonly statsIntervals: boolean;
  /** Labels that name the application in `node.cluster`, the first that is there. */
  readonly appLabels: readonly string[];
  readonly localityLabels: readonly string[];
  /** Environment `ENABLE_DEFERRED_STATS_CREATION`, `BYPASS_OVERLOAD_MANAGER_FOR_STATIC_LISTENERS`. */
  readonly optionalParts: boolean;
  /** Environment `ENVOY_STATUS_PORT_ENABLE_PROXY_PROTOCOL`. */
  readonly statusPortProxyProtocol: boolean;
  /** Environment `ENVOY_SECURE_METRICS_PORT` and `_MERGED_`, `DNS_PROXY_ADDR`, metadata `ENABLE_SELF_DISCOVERY`. */
  readonly secureMetrics: boolean;
  readonly roles: readonly string[];
  /** ProxyConfig `fileFlushInterval` and `fileFlushMinSizeKb` as arguments of Envoy. */
  readonly fileFlush: boolean;
}

const classicRoles = ['sidecar', 'router', 'waypoint', 'ztunnel'];

/** @see istio tools/packaging/common/envoy_bootstrap.json, pkg/bootstrap/config.go, pkg/model/proxy.go of each release branch */
const of126: ReleaseFeatures = {
  connectionLimit: 'runtime',
  runtimeFlags: {},
  statsCompression: 'annotation',
  statsIntervals: false,
  appLabels: ['app'],
  localityLabels: ['istio-locality'],
  optionalParts: true,
  statusPortProxyProtocol: false,
  secureMetrics: false,
  roles: classicRoles,
  fileFlush: false,
};
const of127: ReleaseFeatures = { ...of126, optionalParts: false, statusPortProxyProtocol: true };
const of128: ReleaseFeatures = { ...of127, connectionLimit: 'monitor', statsIntervals: true };
const of129: ReleaseFeatures = {
  ...of128,
  connectionLimit: 'settable monitor',
  runtimeFlags: { 'envoy.reloadable_features.fixed_heap_use_allocated': true },
  statsCompression: 'all',
  localityLabels: ['topology.istio.io/locality', 'istio-locality'],
  roles: [...classicRoles, 'agentgateway'],
  fileFlush: true,
};
const of130: ReleaseFeatures = {
  ...of129,
  runtimeFlags: { ...of129.runtimeFlags, 'envoy.reloadable_features.coalesce_lb_rebuilds_on_batch_update': false },
  appLabels: ['app', 'app.kubernetes.io/name', 'service.istio.io/canonical-name'],
};
const of131: ReleaseFeatures = { ...of130, secureMetrics: true };

const features: Readonly<Record<ReleaseLine, ReleaseFeatures>> = {
  '1.26': of126,
  '1.27': of127,
  '1.28': of128,
  '1.29': of129,
  '1.30': of130,
  '1.31': of131,
};

/** The features of one release line. */
export function releaseFeatures(line: ReleaseLine): ReleaseFeatures {
  return features[line];
}

/** The release that pilot-agent is taken to be of. */
export interface Release {
  /** As `ISTIO_VERSION` says it: `1.26.0`. */
  readonly version: string;
  /** The line whose bootstrap is written. */
  readonly line: ReleaseLine;
  /** False if that line is only the nearest that is known. */
  readonly exact: boolean;
}

/** Reads `1.26`, `1.26.3`, `1.31.0-rc.1`. Undefined for what is no version of Istio. */
export function readRelease(text: string): Release | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)(?:\.(\d+)(?:-[\w.-]+)?)?$/.exec(text) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  const version = patch === undefined ? `${major}.${minor}.0` : text.replace(/^v/, '').replace(/-(distroless|debug|slim)$/, '');
  const found = releaseLines.find((line) => line === `${major}.${minor}`);
  if (found) return { version, line: found, exact: true };
  const newer = Number(major) > 1 || (Number(major) === 1 && Number(minor) > 31);
  return { version, line: newer ? '1.31' : '1.26', exact: false };
}

/** The release that an image's tag names: `docker.io/istio/proxyv2:1.28.1-distroless`. Undefined for `latest` and its like. */
export function releaseOfImage(image: string): Release | undefined {
  const tag = /:([^/:@]+)(?:@.*)?$/.exec(image)?.[1];
  return tag === undefined ? undefined : readRelease(tag);
}
