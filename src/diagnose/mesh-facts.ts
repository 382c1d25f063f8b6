import type { JsonObject } from '../envoy/index.ts';
import type { PositionOf } from '../protobuf/document.ts';
import type { Evidence } from './evidence.ts';
import { quoted } from './evidence.ts';
import { fieldAt, textOf } from './json-access.ts';

/** What of a mesh config says where istiod is and how to speak to it. */
export interface MeshFacts {
  readonly discoveryAddress: { readonly value: string; readonly evidence: Evidence } | undefined;
  readonly controlPlaneAuthPolicy: string | undefined;
}

/** Reads a MeshConfig, or a ProxyConfig on its own. */
export function meshFacts(value: JsonObject, positionOf: PositionOf, base: readonly (string | number)[] = []): MeshFacts {
  const inner = fieldAt(value, 'defaultConfig') === undefined ? [] : ['defaultConfig'];
  const config = inner.length > 0 ? fieldAt(value, 'defaultConfig') : value;
  const address = textOf(fieldAt(config, 'discoveryAddress'));
  return {
    discoveryAddress:
      address === undefined
        ? undefined
        : { value: address, evidence: quoted(positionOf([...base, ...inner, 'discoveryAddress']), `discoveryAddress: ${address}`) },
    controlPlaneAuthPolicy: textOf(fieldAt(config, 'controlPlaneAuthPolicy')),
  };
}
