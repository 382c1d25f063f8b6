import type { SourcePosition } from '../errors.ts';
import { pathText, type DocumentPath } from './document-path.ts';

/**
 * The places in the text of a JSON document that `JSON.parse` has accepted. Builds no values; what it has looked at once, it remembers, so that
 * asking for every place of a large document costs about as much as reading it.
 */
export class JsonPlaces {
  readonly #name: string;
  readonly #text: string;
  readonly #children = new Map<number, ReadonlyMap<string, Offsets>>();
  #lineStarts: readonly number[] | undefined;

  constructor(name: string, text: string) {
    this.#name = name;
    this.#text = text;
  }

  /** Where `path` stands, or its nearest ancestor that exists. */
  position(path: DocumentPath, of: 'key' | 'value'): SourcePosition {
    const offset = this.offset(path, of);
    const line = this.#lineOf(offset);
    const column = offset - (this.#starts()[line - 1] ?? 0) + 1;
    return { file: this.#name, line, column, ...(path.length > 0 ? { path: pathText(path) } : {}) };
  }

  /** As `position`, counted from the start of the text. */
  offset(path: DocumentPath, of: 'key' | 'value'): number {
    let value = skipSpace(this.#text, 0);
    let offset = value;
    for (const [i, step] of path.entries()) {
      const child = this.#childrenOf(value).get(String(step));
      if (!child) break;
      offset = of === 'key' && i === path.length - 1 ? child.key : child.value;
      value = child.value;
    }
    return offset;
  }

  #childrenOf(value: number): ReadonlyMap<string, Offsets> {
    const known = this.#children.get(value);
    if (known) return known;
    const text = this.#text;
    const found = text[value] === '{' ? membersOf(text, value) : text[value] === '[' ? itemsOf(text, value) : new Map<string, Offsets>();
    this.#children.set(value, found);
    return found;
  }

  #starts(): readonly number[] {
    if (this.#lineStarts) return this.#lineStarts;
    const starts = [0];
    for (let end = this.#text.indexOf('\n'); end !== -1; end = this.#text.indexOf('\n', end + 1)) starts.push(end + 1);
    this.#lineStarts = starts;
    return starts;
  }

  /** The last line that starts at or before `offset`, by halving. */
  #lineOf(offset: number): number {
    const starts = this.#starts();
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }
}

/** Offsets of a member's key and value; of a list's item both are the same. */
interface Offsets {
  readonly key: number;
  readonly value: number;
}

/** Of equal keys the last, as `JSON.parse` takes it. */
function membersOf(text: string, object: number): ReadonlyMap<string, Offsets> {
  const found = new Map<string, Offsets>();
  for (let key = skipSpace(text, object + 1); text[key] === '"';) {
    const keyEnd = skipString(text, key);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    found.set(JSON.parse(text.slice(key, keyEnd)) as string, { key, value });
    key = nextElement(text, value);
  }
  return found;
}

function itemsOf(text: string, list: number): ReadonlyMap<string, Offsets> {
  const found = new Map<string, Offsets>();
  let value = skipSpace(text, list + 1);
  for (let i = 0; text[value] !== ']' && text[value] !== undefined; i += 1) {
    found.set(String(i), { key: value, value });
    value = nextElement(text, value);
  }
  return found;
}

/** Past a value and the comma after it. */
function nextElement(text: string, value: number): number {
  const end = skipSpace(text, skipValue(text, value));
  return text[end] === ',' ? skipSpace(text, end + 1) : end;
}

function skipValue(text: string, start: number): number {
  if (text[start] === '"') return skipString(text, start);
  if (text[start] !== '{' && text[start] !== '[') return matchEnd(/[^\s,\]}]*/y, text, start);
  const mark = /["{}[\]]/g;
  let depth = 0;
  for (let at = start; ;) {
    mark.lastIndex = at;
    const found = mark.exec(text);
    if (!found) return text.length;
    at = found[0] === '"' ? skipString(text, found.index) : found.index + 1;
    if (found[0] !== '"') depth += found[0] === '{' || found[0] === '[' ? 1 : -1;
    if (depth === 0) return at;
  }
}

/** Past the closing quote: the first one that an even number of backslashes stands before. */
function skipString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  return matchEnd(/\s*/y, text, start);
}

function matchEnd(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(text);
  return pattern.lastIndex;
}
