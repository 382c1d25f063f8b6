import type { SourcePosition } from '../errors.ts';

/** Steps into a document: keys of mappings, indexes of lists. */
export type DocumentPath = readonly (string | number)[];

/**
 * Where a path of a document stands in its file. `of` picks the key or the value of the last step (default: the value).
 * A path that does not exist gives the nearest ancestor that does.
 */
export type PositionOf = (path: DocumentPath, of?: 'key' | 'value') => SourcePosition;

/** One YAML or JSON document of the user, as plain values that still know where they stood. Frozen. */
export interface SourceDocument {
  /** The file's name as the user wrote it. */
  readonly name: string;
  /** Plain JS values. Integers beyond 2^53 are `bigint`; everything else is what JSON has. */
  readonly value: unknown;
  readonly positionOf: PositionOf;
  /** Every non-empty document of a `---` stream, this one first. */
  readonly documents: readonly SourceDocument[];
}

/** What to read: a path, or bytes already read with the name to show. */
export type DocumentSource = string | { readonly name: string; readonly bytes: Uint8Array };

export interface ReadDocumentOptions {
  /** Larger input is refused before it is read or parsed. Default 16 MiB. */
  readonly maxInputBytes?: number;
}

/**
 * Reads YAML 1.2 (so JSON too) with comments, anchors and merge keys.
 *
 * @throws FakeIstiodError `input.unreadable`, `input.empty`, `input.not-utf8`, `input.too-large`, `input.syntax`:
 * each one sentence with file, line and column.
 */
export function readDocument(source: DocumentSource, options: ReadDocumentOptions = {}): SourceDocument {
  throw new Error(`not yet: ${String(source)} ${String(options.maxInputBytes)}`);
}

/** A path as people write it: `clusters[0].connect_timeout`. */
export function pathText(path: DocumentPath): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
}
