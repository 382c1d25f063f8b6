import type { Json } from '../envoy/index.ts';

/**
 * All values at a dotted path (`configs.*.dynamic_listeners.*.name`), in which `*` stands for any list member or key. A list member may
 * also be named by its number; a part in quotes or brackets may hold dots: `configs.*.["@type"]`.
 */
export function valuesAt(value: Json | undefined, path: string): readonly Json[] {
  return pathParts(path).reduce<readonly Json[]>(
    (values, part) => values.flatMap((one) => step(one, part)),
    value === undefined ? [] : [value],
  );
}

function pathParts(path: string): readonly string[] {
  return [...path.matchAll(/\["([^"]*)"\]|"([^"]*)"|\[(\d+|\*)\]|([^.[\]"]+)/g)].map(([, a, b, c, d]) => a ?? b ?? c ?? d ?? '');
}

function step(value: Json, part: string): readonly Json[] {
  if (typeof value !== 'object' || value === null) return [];
  if (part === '*') return Object.values(value as Readonly<Record<string, Json>>);
  // Only what stands in the dump: neither `toString` nor a list's `length` does.
  if (!Object.prototype.propertyIsEnumerable.call(value, part)) return [];
  const found = (value as Readonly<Record<string, Json>>)[part];
  return found === undefined ? [] : [found];
}
