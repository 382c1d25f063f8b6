import type { SourcePosition } from '../errors.ts';
import { pathText, type DocumentPath } from './document-path.ts';

/**
 * Where `path` stands in the text of a JSON document that `JSON.parse` has accepted, or its nearest ancestor that exists. Reads
 * the text up to there and builds nothing.
 */
export function jsonPosition(name: string, text: string, path: DocumentPath, of: 'key' | 'value'): SourcePosition {
  let value = skipSpace(text, 0);
  let offset = value;
  for (const [i, step] of path.entries()) {
    const child = text[value] === '{' ? memberOf(text, value, String(step)) : text[value] === '[' ? itemOf(text, value, step) : undefined;
    if (!child) break;
    offset = of === 'key' && i === path.length - 1 ? child.key : child.value;
    value = child.value;
  }
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const line = text.slice(0, lineStart).split('\n').length;
  return { file: name, line, column: offset - lineStart + 1, ...(path.length > 0 ? { path: pathText(path) } : {}) };
}

/** Offsets of a member's key and value; of a list's item both are the same. */
interface Offsets {
  readonly key: number;
  readonly value: number;
}

/** Of equal keys the last, as `JSON.parse` takes it. */
function memberOf(text: string, object: number, wanted: string): Offsets | undefined {
  let found: Offsets | undefined;
  for (let key = skipSpace(text, object + 1); text[key] === '"';) {
    const keyEnd = skipString(text, key);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (JSON.parse(text.slice(key, keyEnd)) === wanted) found = { key, value };
    key = nextElement(text, value);
  }
  return found;
}

function itemOf(text: string, list: number, wanted: string | number): Offsets | undefined {
  let value = skipSpace(text, list + 1);
  for (let i = 0; text[value] !== ']' && text[value] !== undefined; i += 1) {
    if (i === wanted) return { key: value, value };
    value = nextElement(text, value);
  }
  return undefined;
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
