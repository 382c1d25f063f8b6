import type { Problem, SourcePosition } from '../errors.ts';
import { FakeIstiodError } from '../errors.ts';
import { pathText, type DocumentPath } from './document-path.ts';
import { yamlPosition } from './document-position.ts';
import { defaultMaxInputBytes, readText, type DocumentSource } from './document-text.ts';
import { maxDepth, parseEachYaml, parseYaml, plainValue, syntaxError, type ParsedYaml } from './document-yaml.ts';
import { JsonPlaces } from './json-position.ts';
import { jsonTextAt, yamlTextAt, type SourceText } from './source-text.ts';

export type { DocumentPath } from './document-path.ts';
export type { DocumentSource } from './document-text.ts';

/**
 * Where a path of a document stands in its file. `of` picks the key or the value of the last step (default: the value).
 * A path that does not exist gives the nearest ancestor that does.
 */
export type PositionOf = (path: DocumentPath, of?: 'key' | 'value') => SourcePosition;

/** One YAML or JSON document of the user, as plain values that still know where they stood. Frozen. */
export interface SourceDocument {
  /** The file's name as the user wrote it. */
  readonly name: string;
  /** Plain JS values. Integers beyond 2^53 are `bigint`; everything else is what JSON has (and `.nan`, `.inf`). */
  readonly value: unknown;
  readonly positionOf: PositionOf;
  /** The text that is the value at a path, and where each of its characters stands in the file; undefined if the value is no text. */
  readonly textAt: (path: DocumentPath) => SourceText | undefined;
  /** Every non-empty document of a `---` stream, this one first. */
  readonly documents: readonly SourceDocument[];
}

export interface ReadDocumentOptions {
  /** Larger input is refused before it is read or parsed. Default 16 MiB. */
  readonly maxInputBytes?: number;
}

/** JSON text above this size goes through `JSON.parse`, which is some fifty times faster than the YAML parser. */
const largeText = 256 * 1024;

/**
 * Reads YAML 1.2 (so JSON too) with comments, anchors and merge keys.
 *
 * @note Of large JSON the last of two equal keys wins, as with Envoy; elsewhere equal keys are an error.
 * @throws FakeIstiodError `input.unreadable`, `input.empty`, `input.not-utf8`, `input.too-large`, `input.syntax`:
 * each one sentence with file and, where there is one, line and column.
 */
export function readDocument(source: DocumentSource, { maxInputBytes = defaultMaxInputBytes }: ReadDocumentOptions = {}): SourceDocument {
  const { name, text } = readText(source, maxInputBytes);
  const document = readLargeJson(name, text) ?? readYaml(name, text);
  if (!document) throw emptyFile(name);
  return document;
}

function emptyFile(name: string): FakeIstiodError {
  return FakeIstiodError.of('input.empty', [{ at: { file: name }, what: 'the file holds nothing but comments or empty documents' }]);
}

/**
 * As `readDocument`, but a document of a `---` stream that is broken costs only itself.
 *
 * @throws FakeIstiodError as `readDocument`, when nothing of the file can be read.
 */
export function readEachDocument(
  source: DocumentSource,
  { maxInputBytes = defaultMaxInputBytes }: ReadDocumentOptions = {},
): { readonly documents: readonly SourceDocument[]; readonly problems: readonly Problem[] } {
  const { name, text } = readText(source, maxInputBytes);
  const large = readLargeJson(name, text);
  if (large) return { documents: large.documents, problems: [] };
  const documents: SourceDocument[] = [];
  const errors: FakeIstiodError[] = [];
  for (const parsed of parseEachYaml(name, text)) {
    try {
      if (parsed instanceof FakeIstiodError) throw parsed;
      documents.push(yamlDocument(name, parsed, documents));
    } catch (error) {
      errors.push(FakeIstiodError.from(error));
    }
  }
  Object.freeze(documents);
  const [first] = errors;
  if (documents.length === 0) throw first ?? emptyFile(name);
  return { documents, problems: errors.flatMap(({ problems }) => problems) };
}

/** A position without a file, for values that come from a program: only the path is known. */
export const programmatic: PositionOf = (path) => ({ file: '', path: pathText(path) });

function readYaml(name: string, text: string): SourceDocument | undefined {
  const documents: SourceDocument[] = [];
  for (const parsed of parseYaml(name, text)) documents.push(yamlDocument(name, parsed, documents));
  Object.freeze(documents);
  return documents[0];
}

function yamlDocument(name: string, parsed: ParsedYaml, documents: readonly SourceDocument[]): SourceDocument {
  return Object.freeze({
    name,
    value: freeze(name, plainValue(name, parsed), 'Is an alias used inside its own anchor?'),
    documents,
    positionOf: (path, of = 'value') => yamlPosition(name, parsed, path, of),
    textAt: (path) => yamlTextAt(name, parsed, path),
  } satisfies SourceDocument);
}

/** Undefined for what is small, is no JSON, or holds numbers that `JSON.parse` would round. Positions are found when asked for. */
function readLargeJson(name: string, text: string): SourceDocument | undefined {
  if (text.length < largeText || !/^\s*[[{]/.test(text) || /[:,[]\s*-?\d{16}/.test(text)) return undefined;
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const places = new JsonPlaces(name, text);
  const positionOf: PositionOf = (path, of = 'value') => places.position(path, of);
  const documents: SourceDocument[] = [];
  const textAt = (path: DocumentPath): SourceText | undefined => jsonTextAt(places, text, path);
  documents.push(Object.freeze({ name, value: freeze(name, value), positionOf, textAt, documents }));
  Object.freeze(documents);
  return documents[0];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Freezes every object of a value, the inner ones first: what is frozen has been seen, and an alias inside itself only gets deeper. */
function freeze(name: string, value: unknown, remedy?: string, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  if (depth > maxDepth)
    throw syntaxError(name, { what: `is nested more than ${maxDepth} levels deep`, ...(remedy === undefined ? {} : { remedy }) });
  for (const child of Object.values(value)) freeze(name, child, remedy, depth + 1);
  return Object.freeze(value);
}
