import type { Json, JsonObject } from '../envoy/index.ts';
import { isJsonObject } from '../envoy/index.ts';

/** A field by its proto name, in either of the two spellings that JSON of protos has: `static_resources`, `staticResources`. */
export function field(value: Json | undefined, name: string): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  return value[name] ?? value[name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())];
}

/** A field of a field: `fieldAt(value, 'dynamic_resources.ads_config')`. */
export function fieldAt(value: Json | undefined, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>((inner, name) => field(inner, name), value);
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isJsonObject);
}

/** Every object within a value, the value itself first. */
export function eachObject(value: Json | undefined, visit: (object: JsonObject) => void): void {
  if (Array.isArray(value)) for (const item of value as readonly Json[]) eachObject(item, visit);
  if (!isJsonObject(value)) return;
  visit(value);
  for (const child of Object.values(value)) eachObject(child, visit);
}

/** A document's value as JSON: what a YAML file may hold besides is text. */
export function asJson(value: unknown): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, asJson(child)]));
  return String(value);
}
