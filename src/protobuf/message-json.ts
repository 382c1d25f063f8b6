import { anyJson, anyName } from './any-json.ts';
import { JsonWalk, shown } from './json-walk.ts';
import { messageBytes } from './message-bytes.ts';
import type { FieldShape, MessageShape } from './message-shape.ts';
import { nearestName } from './nearest-name.ts';
import { isMapping } from './raw-form.ts';
import { enumJson, scalarJson } from './scalar-json.ts';
import { messageShape } from './shape-registry.ts';
import { isV2Name, v2Namesakes, v2Remedy } from './v2-api.ts';
import { wellKnownReader } from './well-known-json.ts';

/** The bytes of a message from a user's JSON; undefined and a problem in `walk` when it cannot be encoded. */
export function encodeMessage(walk: JsonWalk, shape: MessageShape, value: unknown): Uint8Array | undefined {
  const problemsBefore = walk.problems.length;
  const json = messageJson(walk, shape, value);
  if (walk.problems.length > problemsBefore) return undefined;
  try {
    return messageBytes(shape, json);
  } catch (error) {
    return walk.report(`cannot be encoded: ${(error as Error).message}`);
  }
}

/**
 * A user's JSON for a message in the one form that `messageBytes` writes: what Envoy tolerates is put straight, every `Any` is
 * closed (`{ typeUrl, value: base64 }`). What the message does not allow is noted in `walk`; the result is then of no use.
 */
export function messageJson(walk: JsonWalk, shape: MessageShape, value: unknown): unknown {
  if (shape.fullName === anyName) return anyJson(walk, value, encodeMessage);
  const wellKnown = wellKnownReader(shape.fullName);
  if (wellKnown) return wellKnown(walk, value, shape);
  if (!isMapping(value)) return walk.report(`expected a mapping (${shape.fullName}), found ${shown(value)}`);
  const json: Record<string, unknown> = {};
  const seen = new Map<string, string>();
  for (const [key, child] of Object.entries(value)) {
    const field = shape.fieldNamed(key);
    if (!field) walk.at(key, () => reportUnknown(walk, shape, key));
    else if (child !== null || takesNull(field)) {
      walk.at(key, () => reportSecond(walk, field, key, seen));
      json[field.jsonName] = walk.at(key, () => fieldJson(walk, field, child));
    }
  }
  return json;
}

/** The two types for which JSON's null is a value. Elsewhere it means: not set. */
function takesNull(field: FieldShape): boolean {
  const { typeName } = field.entry?.value ?? field;
  return typeName === 'google.protobuf.Value' || typeName === 'google.protobuf.NullValue';
}

function reportSecond(walk: JsonWalk, field: FieldShape, key: string, seen: Map<string, string>): void {
  const before = seen.get(field.name);
  if (before !== undefined) walk.report(`the same field stands here twice, as ${before} and as ${key}`, 'Keep one', 'key');
  seen.set(field.name, key);
  const group = field.oneof;
  if (group === undefined) return;
  const other = seen.get(`oneof ${group}`);
  if (other !== undefined && before === undefined) {
    walk.report(`${other} and ${key} exclude each other (oneof ${group})`, 'Keep one of them', 'key');
  }
  seen.set(`oneof ${group}`, key);
}

function reportUnknown(walk: JsonWalk, shape: MessageShape, key: string): undefined {
  const name = shape.fullName;
  if (key === '@type') return walk.report(`"@type" has no place here: this is always a ${name}`, 'Remove it', 'key');
  const names = shape.fields.map((field) => field.name);
  const near = nearestName(key, names);
  const meant = near && `Did you mean "${near}"?`;
  const v2 = isV2Name(name) ? undefined : v2Namesakes(name).find((old) => messageShape(old).fieldNamed(key));
  if (v2 !== undefined) {
    const what = `"${key}" is a field of Envoy's old API v2 (${v2}); ${name} does not have it`;
    return walk.report(what, v2Remedy(key) ?? meant ?? 'Rewrite it for API v3', 'key');
  }
  const few = names.length <= 12 ? `It has ${names.join(', ') || 'no fields'}` : undefined;
  return walk.report(`unknown field "${key}" in ${name}`, meant ?? few, 'key');
}

function fieldJson(walk: JsonWalk, field: FieldShape, value: unknown): unknown {
  if (field.entry) return mapJson(walk, field.entry, value);
  if (!field.repeated) return Array.isArray(value) && !takesLists(field) ? reportList(walk, field) : singularJson(walk, field, value);
  // @note Envoy takes a single value for a list of one (its own examples do it).
  if (!Array.isArray(value)) return [singularJson(walk, field, value)];
  return value.map((item, i) =>
    walk.at(i, () =>
      item === null && !takesNull(field) ? walk.report('an empty list item (null)', 'Remove it') : singularJson(walk, field, item),
    ),
  );
}

function takesLists({ typeName }: FieldShape): boolean {
  return typeName === 'google.protobuf.ListValue' || typeName === 'google.protobuf.Value';
}

function reportList(walk: JsonWalk, field: FieldShape): undefined {
  return walk.report(`expected one ${field.typeName || field.kind}, found a list`, 'This field takes a single value');
}

function mapJson(walk: JsonWalk, entry: NonNullable<FieldShape['entry']>, value: unknown): unknown {
  if (!isMapping(value)) return walk.report(`expected a mapping, found ${shown(value)}`);
  const entries = Object.entries(value).map(([key, child]) => [
    key,
    walk.at(key, () => {
      if (entry.key.kind !== 'string') checkKey(walk, entry.key.kind, key);
      return child === null && !takesNull(entry.value)
        ? walk.report('a key without a value', 'Give a value or remove the key')
        : singularJson(walk, entry.value, child);
    }),
  ]);
  return Object.fromEntries(entries);
}

function checkKey(walk: JsonWalk, keyType: string, key: string): void {
  const probe = new JsonWalk();
  const read = keyType === 'bool' ? (key === 'true' || key === 'false' ? key : undefined) : scalarJson(probe, keyType, key);
  if (read === undefined) walk.report(`the key "${key}" is no ${keyType}`, undefined, 'key');
}

function singularJson(walk: JsonWalk, field: FieldShape, value: unknown): unknown {
  const { message, enumeration } = field;
  if (message) return messageJson(walk, message, value);
  return enumeration ? enumJson(walk, enumeration, value) : scalarJson(walk, field.kind, value);
}
