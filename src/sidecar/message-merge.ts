import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import { findMessageShape } from '../protobuf/shape-registry.ts';
import type { FieldShape, MessageShape } from '../protobuf/message-shape.ts';

/**
 * Two messages merged as protobuf's MergeFrom does, which is how Envoy lays `--config-yaml` over its file: a message merges field by field,
 * a list is appended, of a map each key is replaced, of a oneof the later member stays, and a value that equals the default of its type
 * leaves what was there (so `initial_fetch_timeout: 0s` does not undo 15s).
 *
 * @see https://protobuf.dev/reference/cpp/api-docs/google.protobuf.message/#Message.MergeFrom.details
 */
export function mergeMessages(typeName: string, base: JsonObject, patch: JsonObject): JsonObject {
  const shape = findMessageShape(typeName);
  return shape ? mergeAs(shape, base, patch) : { ...base, ...patch };
}

function mergeAs(shape: MessageShape, base: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    const field = shape.fieldNamed(key);
    const before = [...merged.keys()].find((name) => field !== undefined && shape.fieldNamed(name) === field) ?? key;
    if (value === null) continue;
    if (!field) {
      merged.set(key, value);
      continue;
    }
    const old = merged.get(before);
    const result = mergeField(field, old, value);
    if (result === undefined) continue;
    if (field.oneof !== undefined) removeOthers(merged, shape, field);
    merged.set(before, result);
  }
  return Object.fromEntries(merged);
}

function removeOthers(merged: Map<string, Json>, shape: MessageShape, field: FieldShape): void {
  for (const name of merged.keys()) {
    const other = shape.fieldNamed(name);
    if (other !== undefined && other !== field && other.oneof === field.oneof) merged.delete(name);
  }
}

/** Undefined = what was there stays. */
function mergeField(field: FieldShape, old: Json | undefined, value: Json): Json | undefined {
  if (field.entry) return { ...(isJsonObject(old) ? old : {}), ...(isJsonObject(value) ? value : {}) };
  if (field.repeated) return [...listOf(old), ...listOf(value)];
  const { message } = field;
  if (!message) return field.hasPresence || !isDefault(value, field) ? value : undefined;
  if (message.fullName === 'google.protobuf.Duration') return mergeDurations(old, value);
  if (message.fullName === 'google.protobuf.Struct') return { ...(isJsonObject(old) ? old : {}), ...(isJsonObject(value) ? value : {}) };
  if (/^google\.protobuf\.\w+Value$/.test(message.fullName)) return old !== undefined && isDefault(value, field) ? undefined : value;
  if (message.fullName.startsWith('google.protobuf.')) return value;
  return isJsonObject(old) && isJsonObject(value) ? mergeAs(message, old, value) : value;
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly Json[]) : [value];
}

function isDefault(value: Json, { enumeration }: FieldShape): boolean {
  if (enumeration) return value === 0 || enumeration.values.get(String(value)) === 0;
  return value === 0 || value === '' || value === false || value === '0';
}

/** Seconds and nanoseconds are two fields: each replaces its own unless it is 0. */
function mergeDurations(old: Json | undefined, value: Json): Json | undefined {
  const [before, after] = [durationParts(old), durationParts(value)];
  if (!before || !after) return value;
  const seconds = after.seconds === '0' ? before.seconds : after.seconds;
  const nanos = after.nanos === '' ? before.nanos : after.nanos;
  return `${seconds}${nanos === '' ? '' : `.${nanos}`}s`;
}

function durationParts(value: Json | undefined): { readonly seconds: string; readonly nanos: string } | undefined {
  const [, seconds, nanos = ''] = (typeof value === 'string' ? /^(-?\d+)(?:\.(\d{1,9}))?s$/.exec(value) : undefined) ?? [];
  return seconds === undefined ? undefined : { seconds, nanos: nanos.replace(/0+$/, '') };
}
