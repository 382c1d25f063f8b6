import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import { decodeJson, encodeJson } from '../protobuf/canonical-json.ts';
import type { FieldShape, MessageShape } from '../protobuf/message-shape.ts';
import { messageShape } from '../protobuf/shape-registry.ts';
import { proxyConfigMessage } from './api-fields.ts';
import { goDurationNanos } from './go-text.ts';

/**
 * A ProxyConfig in the one form that protobuf's JSON has, as pilot-agent puts it into `PROXY_CONFIG` of the node's metadata: without what
 * equals the default of its type, and without fields that the API does not have.
 *
 * @see istio pkg/model/proxy.go:NodeMetaProxyConfig
 */
export function proxyConfigJson(config: JsonObject): JsonObject {
  const known = knownFields(messageShape(proxyConfigMessage), config);
  const written = decodeJson(proxyConfigMessage, encodeJson(proxyConfigMessage, known)) as Json;
  const value = sorted(written);
  return isJsonObject(value) ? value : {};
}

function knownFields(shape: MessageShape, value: JsonObject): JsonObject {
  const entries = Object.entries(value).flatMap(([key, child]) => {
    const field = shape.fieldNamed(key);
    return field && child !== null ? [[key, fieldValue(field, child)] as const] : [];
  });
  return Object.fromEntries(entries);
}

function fieldValue(field: FieldShape, value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => fieldValue(field, item));
  const { message } = field;
  if (message?.fullName === 'google.protobuf.Duration') return typeof value === 'string' ? seconds(value) : value;
  const isWellKnown = message === undefined || message.fullName.startsWith('google.protobuf.') || field.entry !== undefined;
  return isWellKnown || !isJsonObject(value) ? value : knownFields(message, value);
}

/** @note Istio reads Go's durations, too: `1m30s`. */
function seconds(text: string): string {
  const nanos = goDurationNanos(text);
  if (nanos === undefined) return text;
  const fraction = String(Math.abs(nanos % 1e9))
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${nanos < 0 ? '-' : ''}${Math.floor(Math.abs(nanos) / 1e9)}${fraction === '' ? '' : `.${fraction}`}s`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, sorted(child)]));
}
