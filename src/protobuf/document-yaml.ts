import { Composer, LineCounter, Parser, isCollection, isScalar, visit, type Document, type ScalarTag, type Tags } from 'yaml';
import { FakeIstiodError, type Problem } from '../errors.ts';

/** No configuration nests deeper; a parser that recurses must not be asked to. */
export const maxDepth = 200;
/** Uses of an anchor, multiplied along nested aliases; past it a small file stands for a huge one. */
const maxAliasCount = 10_000;

/** One parsed YAML document and what turns its offsets into lines. */
export interface ParsedYaml {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
  /** The whole stream. */
  readonly text: string;
}

/** The non-empty documents of a YAML stream. @throws FakeIstiodError `input.syntax`. */
export function parseYaml(name: string, text: string): readonly ParsedYaml[] {
  return parseStream(name, text).map((parsed) => {
    if (parsed instanceof FakeIstiodError) throw parsed;
    return parsed;
  });
}

/**
 * The non-empty documents of a YAML stream, each read for itself: of one that is broken its error.
 *
 * @throws FakeIstiodError `input.syntax` for what ends all reading: nesting without end.
 */
export function parseEachYaml(name: string, text: string): readonly (ParsedYaml | FakeIstiodError)[] {
  const whole = parseStream(name, text);
  if (!whole.some((parsed) => parsed instanceof FakeIstiodError)) return whole;
  // What is broken may have taken in what follows: an open quote, an open bracket. `---` in the first column is always a new document.
  const parts = text.split(/^(?=---(?:\s|$))/m);
  let lines = 0;
  return parts.flatMap((part) => {
    const parsed = parseStream(name, '\n'.repeat(lines) + part);
    lines += part.split('\n').length - 1;
    return parsed.slice(0, 1);
  });
}

function parseStream(name: string, text: string): readonly (ParsedYaml | FakeIstiodError)[] {
  const lines = new LineCounter();
  const composer = new Composer({
    merge: true,
    prettyErrors: false,
    uniqueKeys: true,
    resolveKnownTags: false,
    customTags: preciseIntegers,
  });
  const documents = [...composer.compose(tokens(name, text, lines), true, text.length)];
  return documents.flatMap((document): readonly (ParsedYaml | FakeIstiodError)[] => {
    const error = errorOf(name, text, document, lines) ?? oddKey(name, text, document, lines);
    if (error) return [error];
    const { contents } = document;
    return contents === null || (isScalar(contents) && contents.value === null) ? [] : [{ document, lines, text }];
  });
}

/** The plain values of a document. @throws FakeIstiodError `input.syntax` for aliases that cannot or should not be followed. */
export function plainValue(name: string, { document, lines }: ParsedYaml): unknown {
  refuseUnknownAliases(name, document, lines);
  try {
    return document.toJS({ maxAliasCount });
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof RangeError || error instanceof TypeError)) throw error;
    const excessive = error.message.startsWith('Excessive alias');
    const what = excessive
      ? 'its aliases (*name) stand for far more than the file holds'
      : `its aliases cannot be followed: ${error.message}`;
    throw syntaxError(name, { what, remedy: 'Write the values out, or use fewer aliases' });
  }
}

function refuseUnknownAliases(name: string, document: Document.Parsed, lines: LineCounter): void {
  const anchors = new Set<string>();
  visit(document, {
    Value: (_, node) => {
      if (node.anchor !== undefined) anchors.add(node.anchor);
    },
    Alias: (_, { source, range }) => {
      if (anchors.has(source)) return;
      const { line, col } = lines.linePos(range?.[0] ?? 0);
      throw syntaxError(name, { at: { file: name, line, column: col }, what: `no anchor &${source} stands before the alias *${source}` });
    },
  });
}

/** A problem of the text as an `input.syntax` error. */
export function syntaxError(file: string, problem: Problem): FakeIstiodError {
  return FakeIstiodError.of('input.syntax', [{ at: { file }, ...problem }]);
}

/** The parser keeps its open collections on a stack of its own: the one place where depth is known before any recursion. */
function* tokens(name: string, text: string, lines: LineCounter): ReturnType<Parser['parse']> {
  const parser = new Parser(lines.addNewLine);
  const { stack } = parser;
  const next = parser.next.bind(parser);
  parser.next = (source: string) => {
    if (stack.length > maxDepth) {
      const { line, col } = lines.linePos(parser.offset);
      throw syntaxError(name, { at: { file: name, line, column: col }, what: `is nested more than ${maxDepth} levels deep` });
    }
    return next(source);
  };
  yield* parser.parse(text);
}

/** YAML integers that a JS number cannot hold stay exact, as `bigint`. */
function preciseIntegers(tags: Tags): Tags {
  return tags.map((tag) => (isDecimalInteger(tag) ? { ...tag, resolve: exactInteger } : tag));
}

function isDecimalInteger(tag: Tags[number]): tag is ScalarTag {
  return typeof tag === 'object' && tag.tag === 'tag:yaml.org,2002:int' && !('format' in tag && tag.format);
}

function exactInteger(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text.replace(/^\+/, ''));
}

function errorOf(name: string, text: string, document: Document.Parsed, lines: LineCounter): FakeIstiodError | undefined {
  const error = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0])[0];
  if (!error) return undefined;
  const template = templateError(name, text);
  if (template) return template;
  const textFormat = textFormatError(name, text);
  if (textFormat) return textFormat;
  const conflict = /^<{7} .*$/m.exec(text);
  const { line, col } = lines.linePos(Math.max(0, conflict?.index ?? error.pos[0]));
  if (conflict) {
    const remedy = 'Settle it and take the markers away';
    return syntaxError(name, {
      at: { file: name, line, column: col },
      what: `a merge conflict is left in the file (${conflict[0]})`,
      remedy,
    });
  }
  return syntaxError(name, { at: { file: name, line, column: col }, ...plainWords(error.code, error.message) });
}

/** `node {` on a line of its own: protobuf's text format, which Envoy reads from files that end in .pb_text. */
function textFormatError(name: string, text: string): FakeIstiodError | undefined {
  const found = /^[a-z][a-z0-9_]*[ \t]*\{[ \t]*$/m.exec(text);
  if (!found) return undefined;
  const line = text.slice(0, found.index).split('\n').length;
  return syntaxError(name, {
    at: { file: name, line, column: 1 },
    what: `looks like protobuf's text format (${found[0].trim()})`,
    remedy: 'Give the same as YAML or JSON',
  });
}

function plainWords(code: string, message: string): Problem {
  if (code === 'DUPLICATE_KEY') return { what: 'this key stands here twice', remedy: 'Keep one of the two' };
  if (code === 'TAB_AS_INDENT') return { what: 'a tab is used as indentation', remedy: 'Indent with spaces' };
  return { what: `not valid YAML: ${message.replace(/\.$/, '')}` };
}

/** A template often still parses: `{{ name }}` is a mapping whose key is a mapping. */
function oddKey(name: string, text: string, document: Document.Parsed, lines: LineCounter): FakeIstiodError | undefined {
  let offset: number | undefined;
  visit(document, {
    Pair: (_, { key }) => {
      if (!isCollection(key)) return undefined;
      offset = key.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  if (offset === undefined) return undefined;
  const template = templateError(name, text);
  if (template) return template;
  const { line, col } = lines.linePos(offset);
  return syntaxError(name, { at: { file: name, line, column: col }, what: 'a key must be a plain word, not a mapping or a list' });
}

function templateError(name: string, text: string): FakeIstiodError | undefined {
  const found = /\{\{|\{%|\{#/.exec(text);
  if (!found) return undefined;
  const before = text.slice(0, found.index);
  const line = before.split('\n').length;
  return syntaxError(name, {
    at: { file: name, line, column: found.index - before.lastIndexOf('\n') },
    what: `looks like a template (${found[0]})`,
    remedy: 'Render it first and give the result',
  });
}
