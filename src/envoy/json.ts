/** A JSON value, as Envoy reads it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether `value` is an object and not a list or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * `base` with `patch` laid over it: objects merge key by key, everything else (lists too) replaces, and `null` deletes the
 * key. Neither argument is changed.
 */
export function mergeJson(base: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    const old = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isJsonObject(value)) merged.set(key, mergeJson(isJsonObject(old) ? old : {}, value));
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}
