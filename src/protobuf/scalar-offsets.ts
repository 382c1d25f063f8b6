/** How a text is written in YAML; JSON knows `double` only. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'other';

/**
 * For each character of `text`, and for its end, the offset in `source` where it is written. `start` is where the scalar begins: its quote,
 * its `|`, or its first character. Undefined if the two do not fit each other (a folded block, say).
 */
export function scalarOffsets(text: string, source: string, start: number, style: ScalarStyle): readonly number[] | undefined {
  if (style === 'other') return undefined;
  return style === 'literal' ? blockOffsets(text, source, start) : flowOffsets(text, source, start, style);
}

/** Of `|`: every line is a line of the source, moved right by the block's indentation. */
function blockOffsets(text: string, source: string, start: number): readonly number[] | undefined {
  const offsets: number[] = [];
  let lineStart = nextLine(source, start);
  const indent = blockIndent(source, start, lineStart);
  for (const line of text.split('\n')) {
    const first = source[lineStart] === ' ' || indent === 0 ? lineStart + Math.min(indent, lineLength(source, lineStart)) : lineStart;
    if (source.slice(first, first + line.length) !== line) return undefined;
    for (let i = 0; i <= line.length; i += 1) offsets.push(first + i);
    lineStart = nextLine(source, lineStart);
  }
  return offsets;
}

/** As the header says (`|2`), else that of the first line that is not blank. */
function blockIndent(source: string, start: number, body: number): number {
  const explicit = /^[|>][+-]?([1-9])/.exec(source.slice(start, start + 4))?.[1];
  const first = /^(?:[ \t]*\r?\n)*( *)/.exec(source.slice(body))?.[1]?.length ?? 0;
  if (explicit === undefined) return first;
  const lineStart = source.lastIndexOf('\n', start) + 1;
  const parent = /^ */.exec(source.slice(lineStart))?.[0].length ?? 0;
  return parent + Number(explicit);
}

function nextLine(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end === -1 ? source.length : end + 1;
}

function lineLength(source: string, from: number): number {
  return nextLine(source, from) - from - 1;
}

/** Walks both side by side: an escape is one character, a line break with the blanks around it is a blank or fewer line breaks. */
function flowOffsets(text: string, source: string, start: number, style: ScalarStyle): readonly number[] | undefined {
  const offsets: number[] = [];
  let at = style === 'plain' ? start : start + 1;
  for (let i = 0; i < text.length;) {
    const step = flowStep(source, at, style);
    if (step.read.length > 0 && !text.startsWith(step.read, i)) return undefined;
    for (let k = 0; k < step.read.length; k += 1) offsets.push(at);
    i += step.read.length;
    if (step.length === 0) return undefined;
    at += step.length;
  }
  offsets.push(at);
  return offsets;
}

interface FlowStep {
  /** What the parser makes of it. */
  readonly read: string;
  /** How many characters of the source it takes. */
  readonly length: number;
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};
const escapedCode = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/;

function flowStep(source: string, at: number, style: ScalarStyle): FlowStep {
  const blank = /[ \t\r\n]*/y;
  blank.lastIndex = at;
  const space = blank.exec(source)?.[0] ?? '';
  const breaks = space.split('\n').length - 1;
  if (breaks > 0) return { read: breaks === 1 ? ' ' : '\n'.repeat(breaks - 1), length: space.length };
  const char = source[at] ?? '';
  if (style === 'single' && source.startsWith("''", at)) return { read: "'", length: 2 };
  if (style === 'double' && char === '\\') return escapeStep(source, at);
  return { read: char, length: char.length };
}

function escapeStep(source: string, at: number): FlowStep {
  const joined = /^\\\r?\n[ \t]*/.exec(source.slice(at, at + 400));
  if (joined) return { read: '', length: joined[0].length };
  const code = escapedCode.exec(source.slice(at, at + 10));
  if (code) return { read: String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '0', 16)), length: code[0].length };
  const next = source[at + 1] ?? '';
  return { read: escapes[next] ?? next, length: 2 };
}
