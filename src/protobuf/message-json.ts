import protojson from 'protobufjs/ext/protojson.js';
import { Enum, Type, type Field } from 'protobufjs/light.js';
import { anyJson } from './any-json.ts';
import { fieldsByName, fullNameOf, protoName } from './field-index.ts';
import { JsonWalk, shown } from './json-walk.ts';
import { isMapping } from './raw-form.ts';
import { isAny, messageType } from './message-type.ts';
import { nearestName } from './nearest-name.ts';
import { enumJson, scalarJson } from './scalar-json.ts';
import { isV2Name, v2Namesakes, v2Remedy } from './v2-api.ts';
import { wellKnownReader } from './well-known-json.ts';

/** The bytes of a message from a user's JSON; undefined and a problem in `walk` when it cannot be encoded. */
export function encodeMessage(walk: JsonWalk, type: Type, value: unknown): Uint8Array | undefined {
  const problemsBefore = walk.problems.length;
  const json = messageJson(walk, type, value);
  if (walk.problems.length > problemsBefore) return undefined;
  try {
    return type.encode(protojson.fromJson(type, json)).finish();
  } catch (error) {
    return walk.report(`cannot be encoded: ${(error as Error).message}`);
  }
}

/**
 * A user's JSON for a message in the one form that protojson reads: what Envoy tolerates is put straight, every `Any` is
 * closed (`{ typeUrl, value: base64 }`). What the message does not allow is noted in `walk`; the result is then of no use.
 */
export function messageJson(walk: JsonWalk, type: Type, value: unknown): unknown {
  if (isAny(type)) return anyJson(walk, value, encodeMessage);
  const wellKnown = wellKnownReader(type);
  if (wellKnown) return wellKnown(walk, value, type);
  if (!isMapping(value)) return walk.report(`expected a mapping (${fullNameOf(type)}), found ${shown(value)}`);
  const fields = fieldsByName(type);
  const json: Record<string, unknown> = {};
  const seen = new Map<string, string>();
  for (const [key, child] of Object.entries(value)) {
    const field = fields.get(key);
    if (!field) walk.at(key, () => reportUnknown(walk, type, key));
    else if (child !== null || takesNull(field)) {
      walk.at(key, () => reportSecond(walk, field, key, seen));
      json[field.jsonName] = walk.at(key, () => fieldJson(walk, field, child));
    }
  }
  return json;
}

/** The two types for which JSON's null is a value. Elsewhere it means: not set. */
function takesNull({ resolvedType }: Field): boolean {
  return resolvedType?.fullName === '.google.protobuf.Value' || resolvedType?.fullName === '.google.protobuf.NullValue';
}

function reportSecond(walk: JsonWalk, field: Field, key: string, seen: Map<string, string>): void {
  const before = seen.get(field.name);
  if (before !== undefined) walk.report(`the same field stands here twice, as ${before} and as ${key}`, 'Keep one', 'key');
  seen.set(field.name, key);
  const group = field.partOf && !field.options?.['proto3_optional'] ? field.partOf : undefined;
  if (!group) return;
  const other = seen.get(`oneof ${group.name}`);
  if (other !== undefined && before === undefined) {
    walk.report(`${other} and ${key} exclude each other (oneof ${group.name})`, 'Keep one of them', 'key');
  }
  seen.set(`oneof ${group.name}`, key);
}

function reportUnknown(walk: JsonWalk, type: Type, key: string): undefined {
  const name = fullNameOf(type);
  if (key === '@type') return walk.report(`"@type" has no place here: this is always a ${name}`, 'Remove it', 'key');
  const names = type.fieldsArray.map(protoName);
  const near = nearestName(key, names);
  const meant = near && `Did you mean "${near}"?`;
  const v2 = isV2Name(name) ? undefined : v2Namesakes(name).find((old) => fieldsByName(messageType(old)).has(key));
  if (v2 !== undefined) {
    const what = `"${key}" is a field of Envoy's old API v2 (${v2}); ${name} does not have it`;
    return walk.report(what, v2Remedy(key) ?? meant ?? 'Rewrite it for API v3', 'key');
  }
  const few = names.length <= 12 ? `It has ${names.join(', ') || 'no fields'}` : undefined;
  return walk.report(`unknown field "${key}" in ${name}`, meant ?? few, 'key');
}

function fieldJson(walk: JsonWalk, field: Field, value: unknown): unknown {
  if (field.map) return mapJson(walk, field, value);
  if (!field.repeated) return Array.isArray(value) && !takesLists(field) ? reportList(walk, field) : singularJson(walk, field, value);
  // @note Envoy takes a single value for a list of one (its own examples do it).
  if (!Array.isArray(value)) return [singularJson(walk, field, value)];
  return value.map((item, i) =>
    walk.at(i, () =>
      item === null && !takesNull(field) ? walk.report('an empty list item (null)', 'Remove it') : singularJson(walk, field, item),
    ),
  );
}

function takesLists({ resolvedType }: Field): boolean {
  return resolvedType?.fullName === '.google.protobuf.ListValue' || resolvedType?.fullName === '.google.protobuf.Value';
}

function reportList(walk: JsonWalk, field: Field): undefined {
  const wanted = field.resolvedType ? fullNameOf(field.resolvedType) : field.type;
  return walk.report(`expected one ${wanted}, found a list`, 'This field takes a single value');
}

function mapJson(walk: JsonWalk, field: Field, value: unknown): unknown {
  if (!isMapping(value)) return walk.report(`expected a mapping, found ${shown(value)}`);
  const keyType = (field as Field & { readonly keyType: string }).keyType;
  const entries = Object.entries(value).map(([key, child]) => [
    key,
    walk.at(key, () => {
      if (keyType !== 'string') checkKey(walk, keyType, key);
      return child === null && !takesNull(field)
        ? walk.report('a key without a value', 'Give a value or remove the key')
        : singularJson(walk, field, child);
    }),
  ]);
  return Object.fromEntries(entries);
}

function checkKey(walk: JsonWalk, keyType: string, key: string): void {
  const probe = new JsonWalk();
  const read = keyType === 'bool' ? (key === 'true' || key === 'false' ? key : undefined) : scalarJson(probe, keyType, key);
  if (read === undefined) walk.report(`the key "${key}" is no ${keyType}`, undefined, 'key');
}

function singularJson(walk: JsonWalk, field: Field, value: unknown): unknown {
  const { resolvedType } = field;
  if (resolvedType instanceof Type) return messageJson(walk, resolvedType, value);
  if (resolvedType instanceof Enum) return enumJson(walk, resolvedType, value);
  return scalarJson(walk, field.type, value);
}
