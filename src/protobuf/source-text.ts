import { isScalar, Scalar } from 'yaml';
import type { SourcePosition } from '../errors.ts';
import type { DocumentPath } from './document-path.ts';
import { yamlNodeAt, yamlPosition } from './document-position.ts';
import type { ParsedYaml } from './document-yaml.ts';
import type { JsonPlaces } from './json-position.ts';
import { scalarOffsets, type ScalarStyle } from './scalar-offsets.ts';

/** A text that is a value of a document: YAML in a ConfigMap, say. */
export interface SourceText {
  readonly text: string;
  /** Where a character of the text stands in the file; the place of the whole value where that cannot be told. */
  at(offset: number): SourcePosition;
}

const styles: Readonly<Record<string, ScalarStyle>> = {
  [Scalar.PLAIN]: 'plain',
  [Scalar.QUOTE_SINGLE]: 'single',
  [Scalar.QUOTE_DOUBLE]: 'double',
  [Scalar.BLOCK_LITERAL]: 'literal',
};

/** The text at a path of a YAML document. */
export function yamlTextAt(name: string, parsed: ParsedYaml, path: DocumentPath): SourceText | undefined {
  const node = yamlNodeAt(parsed, path);
  if (!isScalar(node) || typeof node.value !== 'string') return undefined;
  const text = node.value;
  const place = yamlPosition(name, parsed, path, 'value');
  let offsets: readonly number[] | undefined;
  return {
    text,
    at(offset) {
      offsets ??= scalarOffsets(text, parsed.text, node.range?.[0] ?? 0, styles[node.type ?? ''] ?? 'other') ?? [];
      const found = offsets[offset];
      if (found === undefined) return place;
      const { line, col } = parsed.lines.linePos(found);
      return { ...place, line, column: col };
    },
  };
}

/** The text at a path of JSON that `JSON.parse` has read. */
export function jsonTextAt(places: JsonPlaces, source: string, path: DocumentPath): SourceText | undefined {
  const start = places.offset(path, 'value');
  const place = places.position(path, 'value');
  if (source[start] !== '"') return undefined;
  const end = /"(?:[^"\\]|\\.)*"/y;
  end.lastIndex = start;
  const written = end.exec(source)?.[0];
  const text: unknown = written === undefined ? undefined : JSON.parse(written);
  if (typeof text !== 'string') return undefined;
  return {
    text,
    at(offset) {
      const found = scalarOffsets(text, source, start, 'double')?.[offset];
      // JSON keeps a text on one line.
      return found === undefined ? place : { ...place, column: (place.column ?? 1) + found - start };
    },
  };
}
