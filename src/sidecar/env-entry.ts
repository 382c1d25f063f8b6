import type { DocumentPath } from '../protobuf/document.ts';

/** Where an environment variable of a container gets its value: at injection (`value`), or only when the pod runs. */
export type EnvSource =
  | { readonly source: 'value'; readonly value: string }
  | { readonly source: 'fieldRef'; readonly fieldPath: string }
  | { readonly source: 'resourceFieldRef'; readonly resource: string; readonly divisor?: string; readonly containerName?: string }
  | { readonly source: 'configMapKeyRef' | 'secretKeyRef'; readonly object: string; readonly key: string; readonly optional: boolean }
  /** A reference that Kubernetes does not have, or not yet; `reference` is its key. */
  | { readonly source: 'unknown'; readonly reference: string };

/** One entry of `env`. */
export type EnvEntry = EnvSource & { readonly name: string; readonly path: DocumentPath };
