import type { DocumentPath } from './document-path.ts';

/** What Envoy's admin endpoints print in place of a private key: as text and as bytes. */
const redacted = new Set(['[redacted]', Buffer.from('[redacted]').toString('base64')]);

/** Where in a secret the real value is missing. */
export function redactedPaths(value: unknown, path: DocumentPath = []): readonly DocumentPath[] {
  if (typeof value === 'string') return redacted.has(value) ? [path] : [];
  if (value === null || typeof value !== 'object') return [];
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, child]) => redactedPaths(child, [...path, key]));
}
