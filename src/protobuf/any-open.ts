import protojson from 'protobufjs/ext/protojson.js';
import { Type } from 'protobufjs/light.js';
import type { ClosedAny } from './any-json.ts';
import { findMessageType, isAny } from './message-type.ts';
import { wellKnownReader } from './well-known-json.ts';

/** An `Any` in an `Any` in an `Any`: past this depth they stay closed. */
const maxOpenDepth = 32;

/** Opens every closed `Any` in a message's canonical JSON. Changes and returns `json`. */
export function openAnys(type: Type, json: unknown, depth = 0): unknown {
  if (isAny(type)) return openAny(json as ClosedAny, depth);
  if (!holdsAny(type) || wellKnownReader(type.fullName.slice(1))) return json;
  const fields = json as Record<string, unknown>;
  for (const field of type.fieldsArray) {
    const value = fields[field.jsonName];
    const inner = field.resolvedType;
    if (value === undefined || !(inner instanceof Type) || !holdsAny(inner)) continue;
    if (field.repeated) fields[field.jsonName] = (value as unknown[]).map((item) => openAnys(inner, item, depth));
    else if (field.map) fields[field.jsonName] = mapValues(value as Record<string, unknown>, (item) => openAnys(inner, item, depth));
    else fields[field.jsonName] = openAnys(inner, value, depth);
  }
  return json;
}

function openAny({ typeUrl, value = '' }: ClosedAny, depth: number): unknown {
  if (!typeUrl) return value === '' ? {} : { typeUrl: '', base64: value };
  const type = findMessageType(typeUrl.slice(typeUrl.lastIndexOf('/') + 1));
  if (!type) return { '@type': typeUrl, value };
  if (depth >= maxOpenDepth) return { typeUrl, base64: value };
  try {
    const body = openAnys(type, protojson.toJson(type, type.decode(Buffer.from(value, 'base64'))), depth + 1);
    return isAny(type) || wellKnownReader(type.fullName.slice(1))
      ? { '@type': typeUrl, value: body }
      : { '@type': typeUrl, ...(body as object) };
  } catch {
    return { typeUrl, base64: value };
  }
}

function mapValues(value: Readonly<Record<string, unknown>>, change: (item: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item)]));
}

const holders = new WeakMap<Type, boolean>();

/** Whether a message can have an `Any` anywhere in it. */
function holdsAny(type: Type): boolean {
  let known = holders.get(type);
  if (known === undefined) holders.set(type, (known = reachesAny(type)));
  return known;
}

function reachesAny(start: Type): boolean {
  const seen = new Set([start]);
  for (const type of seen) {
    if (isAny(type)) return true;
    for (const { resolvedType } of type.fieldsArray.map((field) => field.resolve())) {
      if (resolvedType instanceof Type) seen.add(resolvedType);
    }
  }
  return false;
}
