import type { Problem, SourcePosition } from '../errors.ts';
import type { PositionOf, SourceDocument } from './document.ts';

/** One resource, ready to be served. */
export interface LoadedResource {
  /** With its prefix: `type.googleapis.com/envoy.config.cluster.v3.Cluster`. */
  readonly typeUrl: string;
  /** The resource's name; '' where it has none (Envoy allows that for listeners). */
  readonly name: string;
  /** The serialized message, without any `Any` around it. */
  readonly value: Uint8Array;
  readonly at: SourcePosition;
  /** Only where the file gives one. */
  readonly version?: string;
  /** Only where the file gives one (`ttl: 30s`). */
  readonly ttlMs?: number;
}

export interface LoadedResources {
  readonly resources: readonly LoadedResource[];
  /** What was served nevertheless but deserves a word, e.g. a redacted secret. */
  readonly warnings: readonly Problem[];
}

export interface LoadOptions {
  /** Two resources of one type and name are a problem unless this is true. */
  readonly allowDuplicates?: boolean;
  /** The key the value stands under (`clusters`), which tells the type of a plain list. */
  readonly contextKey?: string;
}

/**
 * The resources of a file in any form that Envoy's world has: `static_resources`, a filesystem DiscoveryResponse,
 * `resources: [{ name, resource }]`, lists under their key, bare lists, one resource, an admin `config_dump`, raw bytes.
 *
 * @throws FakeIstiodError `resource.invalid` with every problem found, or `input.unrecognised`.
 */
export function loadResources(document: SourceDocument, options: LoadOptions = {}): LoadedResources {
  return resourcesOf(document.value, document.positionOf, options);
}

/** As `loadResources`, for a value inside a document (`serve:` of a scenario); `at` is relative to that value. */
export function resourcesOf(value: unknown, at: PositionOf, options: LoadOptions = {}): LoadedResources {
  throw new Error(`not yet: ${String(value)} ${String(at)} ${String(options.contextKey)}`);
}
