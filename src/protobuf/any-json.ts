import { shown, type JsonWalk } from './json-walk.ts';
import type { MessageShape } from './message-shape.ts';
import { nearestTypeName } from './nearest-name.ts';
import { isMapping, rawForm } from './raw-form.ts';
import { isBase64 } from './scalar-json.ts';
import { findMessageShape } from './shape-registry.ts';
import { isV2Name } from './v2-api.ts';
import { wellKnownReader } from './well-known-json.ts';

/** What every `@type` starts with in Envoy's world. */
export const typeUrlPrefix = 'type.googleapis.com/';

export const anyName = 'google.protobuf.Any';

/** `google.protobuf.Any` as it stands in canonical JSON that is to be written. */
export interface ClosedAny {
  readonly typeUrl?: string;
  /** Base64. */
  readonly value?: string;
}

/** Encodes what is inside an `Any`; undefined and a problem in the walk when it cannot. */
type EncodeMessage = (walk: JsonWalk, shape: MessageShape, value: unknown) => Uint8Array | undefined;

/** A `google.protobuf.Any` as people write it, encoded. */
export interface EncodedAny {
  readonly typeUrl?: string;
  readonly value?: Uint8Array;
}

/** An `Any` as people write it, in the form of its bytes; undefined and a problem in `walk` when it cannot be. */
export function encodedAny(walk: JsonWalk, value: unknown, encodeMessage: EncodeMessage): EncodedAny | undefined {
  if (!isMapping(value)) return walk.report(`expected a mapping with "@type", found ${shown(value)}`);
  const raw = rawForm(value);
  if (raw) return encodedRaw(walk, raw.typeUrl, raw.base64);
  if (Object.keys(value).length === 0) return {};
  return encodedAs(walk, value['@type'], value, encodeMessage);
}

/** As `encodedAny`, for a message of whose type `typeUrl` tells, whether or not it says so itself. */
export function encodedAs(
  walk: JsonWalk,
  typeUrl: unknown,
  value: Readonly<Record<string, unknown>>,
  encodeMessage: EncodeMessage,
): EncodedAny | undefined {
  const fields = '@type' in value ? withoutType(value) : value;
  const known = knownType(walk, typeUrl, fields);
  if (!known) return undefined;
  if (known === 'raw') return encodedRaw(walk, typeUrl, fields['value']);
  const bytes = encodeMessage(walk, known, valueStandsUnderValue(known, fields) ? fields['value'] : fields);
  return bytes && { typeUrl: typeUrl as string, value: bytes };
}

function withoutType({ '@type': _, ...fields }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return fields;
}

/** As `encodedAny`, for an `Any` inside a message. */
export function anyJson(walk: JsonWalk, value: unknown, encodeMessage: EncodeMessage): ClosedAny | undefined {
  const encoded = encodedAny(walk, value, encodeMessage);
  if (!encoded?.value) return encoded && {};
  return { ...encoded, value: Buffer.from(encoded.value).toString('base64') };
}

/** @note Go writes an Empty as `{ "@type", value: {} }`, C++ without the value; both are read. */
function valueStandsUnderValue({ fullName }: MessageShape, fields: Readonly<Record<string, unknown>>): boolean {
  if (fullName === 'google.protobuf.Empty') return 'value' in fields;
  return fullName === anyName || wellKnownReader(fullName) !== undefined;
}

function encodedRaw(walk: JsonWalk, typeUrl: unknown, base64: unknown): EncodedAny | undefined {
  if (typeof typeUrl !== 'string') return walk.report(`expected typeUrl to be a string, found ${shown(typeUrl)}`);
  if (typeof base64 !== 'string' || !isBase64(base64))
    return walk.report(`expected the bytes of ${typeUrl} in base64, found ${shown(base64)}`);
  return { typeUrl, value: Buffer.from(base64, 'base64') };
}

/** The message that `@type` names. `raw` for the form in which we show what we do not know: `{ "@type", value: base64 }`. */
function knownType(walk: JsonWalk, typeUrl: unknown, fields: Readonly<Record<string, unknown>>): MessageShape | 'raw' | undefined {
  if (typeUrl === undefined)
    return walk.report('no "@type" says what this is', `Add "@type": ${typeUrlPrefix}<message>, or give { typeUrl, base64 }`);
  if (typeof typeUrl !== 'string') return walk.at('@type', () => walk.report(`expected a string, found ${shown(typeUrl)}`));
  const name = typeUrl.slice(typeUrl.lastIndexOf('/') + 1);
  const shape = findMessageShape(name);
  if (!shape && Object.keys(fields).length === 1 && typeof fields['value'] === 'string' && isBase64(fields['value'])) return 'raw';
  if (shape && typeUrl.includes('/') && !isV2Name(name)) return shape;
  return walk.at('@type', () => reportType(walk, typeUrl, name, shape !== undefined));
}

function reportType(walk: JsonWalk, typeUrl: string, name: string, known: boolean): undefined {
  const near = nearestTypeName(name);
  const meant = near ? `Did you mean ${typeUrlPrefix}${near}? ` : '';
  if (isV2Name(name)) {
    return walk.report(
      `${typeUrl} belongs to Envoy's API v2, which Envoy dropped in 2021; only API v3 is served`,
      `${meant}To send it nevertheless, give { typeUrl, base64 }`,
    );
  }
  if (known) return walk.report(`${typeUrl} has no prefix`, `Write ${typeUrlPrefix}${name}`);
  return walk.report(`unknown type ${typeUrl}`, `${meant}A type that fake-istiod does not know is sent as { typeUrl, base64 }`);
}
