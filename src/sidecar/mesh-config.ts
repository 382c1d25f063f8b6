import type { JsonObject } from '../envoy/index.ts';
import type { Problem, SourcePosition } from '../errors.ts';
import type { PositionOf } from '../protobuf/document.ts';

/** What the file was: each is read to the same values. */
export type MeshConfigForm =
  'mesh-config' | 'config-map' | 'proxy-config' | 'proxy-config-resource' | 'proxy-config-text' | 'istio-operator';

/** A value and the layer that gave it: the mesh config file, or Istio's default. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: 'default' | 'mesh-config';
  readonly at?: SourcePosition;
}

/** A mesh config file, read. Field names are those of the API in lowerCamel; values are as written. */
export interface MeshConfig {
  readonly file: string;
  readonly form: MeshConfigForm;
  /** The MeshConfig without defaults. */
  readonly value: JsonObject;
  /** Its `defaultConfig`, or the whole file if that is a ProxyConfig. */
  readonly defaultConfig: JsonObject;
  /** MeshNetworks, if the ConfigMap holds any. */
  readonly networks?: JsonObject;
  /** Place of a path of `value` in the file that was given, even if that is text inside a ConfigMap. */
  readonly positionOf: PositionOf;
  readonly discoveryAddress: Sourced<string>;
  readonly rootNamespace: Sourced<string>;
  readonly trustDomain: Sourced<string>;
  /** Fields that this API does not know; Istio ignores them. */
  readonly warnings: readonly Problem[];
}
