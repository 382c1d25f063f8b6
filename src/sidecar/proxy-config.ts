import type { JsonObject } from '../envoy/index.ts';
import type { Problem, SourcePosition } from '../errors.ts';
import type { PositionOf } from '../protobuf/document.ts';

/**
 * Where a part of the ProxyConfig comes from, the later over the earlier. `annotation` is `proxy.istio.io/config` and the older
 * one-value annotations.
 *
 * @see istio pilot/cmd/pilot-agent/config/config.go:getMeshConfig
 */
export const proxyConfigSources = ['default', 'mesh-config', 'PROXY_CONFIG', 'annotation', 'argument', 'ISTIO_CPU_LIMIT'] as const;
export type ProxyConfigSource = (typeof proxyConfigSources)[number];

/** One ProxyConfig to be laid over those before it. */
export interface ProxyConfigLayer {
  readonly source: ProxyConfigSource;
  /** lowerCamel field names. */
  readonly value: JsonObject;
  /** Place of a path of `value` in the user's file; none for defaults. */
  readonly positionOf?: PositionOf;
  /** Fields that the API does not know. */
  readonly warnings?: readonly Problem[];
}

/** Which layer gave a field, and where it stands. */
export interface ProxyConfigOrigin {
  readonly source: ProxyConfigSource;
  readonly at?: SourcePosition;
}

/** A ProxyConfig as pilot-agent has it after merging. */
export interface MergedProxyConfig {
  readonly value: JsonObject;
  /** By field; a key of `proxyMetadata` has its own, as `proxyMetadata.NAME`. */
  readonly origins: Readonly<Record<string, ProxyConfigOrigin>>;
}
