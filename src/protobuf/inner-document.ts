import { FakeIstiodError, type Problem, type SourcePosition } from '../errors.ts';
import { readDocument, type DocumentPath, type PositionOf, type SourceDocument } from './document.ts';
import { pathText } from './document-path.ts';
import type { SourceText } from './source-text.ts';

/** YAML or JSON that is the text of a value of another document: the `mesh` of a ConfigMap, an annotation, an environment variable. */
export interface InnerDocument {
  /** Plain values; null if the text holds nothing. */
  readonly value: unknown;
  /** Places are those of the outer file; a path reads `data.mesh > defaultConfig.discoveryAddress`. */
  readonly positionOf: PositionOf;
}

/**
 * Reads the text at `path` of a document. Undefined if the value there is no text.
 *
 * @throws FakeIstiodError `input.syntax` with line and column of the outer file.
 */
export function readInnerDocument(outer: SourceDocument, path: DocumentPath): InnerDocument | undefined {
  const source = outer.textAt(path);
  if (!source) return undefined;
  if (source.text.trim() === '') return { value: null, positionOf: () => outer.positionOf(path) };
  const place = placeIn(source, pathText(path));
  try {
    const inner = readDocument({ name: outer.name, bytes: Buffer.from(source.text) });
    return { value: inner.value, positionOf: (innerPath, of) => place(inner.positionOf(innerPath, of)) };
  } catch (error) {
    if (!(error instanceof FakeIstiodError)) throw error;
    if (error.code === 'input.empty') return { value: null, positionOf: () => outer.positionOf(path) };
    const problems = error.problems.map((problem) => ({ ...problem, ...(problem.at ? { at: place(problem.at) } : {}) }));
    throw FakeIstiodError.of(error.code, problems satisfies readonly Problem[]);
  }
}

/** Turns places in the text into places in the file. */
function placeIn({ text, at }: SourceText, outerPath: string): (inner: SourcePosition) => SourcePosition {
  const lineStarts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lineStarts.push(end + 1);
  return ({ line = 1, column = 1, path }) => {
    const offset = Math.min((lineStarts[line - 1] ?? 0) + column - 1, text.length);
    return { ...at(offset), path: path === undefined || path === '' ? outerPath : `${outerPath} > ${path}` };
  };
}
