import type { DocumentPath } from '../protobuf/document.ts';

/** A value of a bootstrap and the path that led to it. */
export interface Place {
  readonly value: unknown;
  readonly path: DocumentPath;
}

/** The value under a key, in snake or camel case. */
export function child(place: Place | undefined, key: string): Place | undefined {
  const value = place?.value;
  if (!place || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const camel = key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const found = [key, camel].find((each) => each in value);
  return found === undefined ? undefined : { value: (value as Record<string, unknown>)[found], path: [...place.path, found] };
}

/** The value at the end of several keys. */
export function inside(place: Place | undefined, ...keys: readonly string[]): Place | undefined {
  let found = place;
  for (const key of keys) found = child(found, key);
  return found;
}

/** The items of a list; a single value stands for a list of one, as Envoy takes it. */
export function items(place: Place | undefined): readonly Place[] {
  if (!place) return [];
  if (!Array.isArray(place.value)) return [place];
  return place.value.map((value: unknown, i) => ({ value, path: [...place.path, i] }));
}

/** Every value under this key, however deep. */
export function everywhere(place: Place | undefined, key: string): readonly Place[] {
  if (!place || typeof place.value !== 'object' || place.value === null) return [];
  const own = child(place, key);
  const children: readonly Place[] = Array.isArray(place.value)
    ? items(place)
    : Object.entries(place.value).map(([name, value]: [string, unknown]) => ({ value, path: [...place.path, name] }));
  return [...(own ? [own] : []), ...children.flatMap((each) => everywhere(each, key))];
}

/** Text of a place; undefined if it holds none. */
export function textOf(place: Place | undefined): string | undefined {
  return typeof place?.value === 'string' ? place.value : undefined;
}
