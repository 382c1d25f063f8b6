import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';

/** Values of a user's document, read for what they are worth: what is not there, or is something else, is nothing. */

export function objectAt(value: unknown, ...keys: readonly (string | number)[]): JsonObject {
  const found = valueAt(value, ...keys);
  return isJsonObject(found) ? found : {};
}

export function listAt(value: unknown, ...keys: readonly (string | number)[]): readonly Json[] {
  const found = valueAt(value, ...keys);
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

/** A text; numbers and booleans count as such, as YAML makes them of what people mean as text. */
export function textAt(value: unknown, ...keys: readonly (string | number)[]): string | undefined {
  const found = valueAt(value, ...keys);
  if (typeof found === 'string') return found;
  return typeof found === 'number' || typeof found === 'boolean' || typeof found === 'bigint' ? String(found) : undefined;
}

export function valueAt(value: unknown, ...keys: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of keys) {
    if (found === null || typeof found !== 'object') return undefined;
    found = (found as Readonly<Record<string | number, unknown>>)[key];
  }
  return found;
}

/** A map of texts, such as labels. */
export function textsAt(value: unknown, ...keys: readonly (string | number)[]): Readonly<Record<string, string>> {
  const entries = Object.keys(objectAt(value, ...keys)).map((key) => [key, textAt(value, ...keys, key)] as const);
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
}
