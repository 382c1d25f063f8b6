import type { SourcePosition } from '../errors.ts';

/** One thing that an input says, and where it says so. */
export interface Evidence {
  readonly at: SourcePosition;
  /** In the input's own words, shortened to one line. */
  readonly says: string;
}

const longest = 400;

/** A text as evidence: one line, not endless. */
export function quoted(at: SourcePosition, text: string): Evidence {
  const line = text.replace(/\s+/g, ' ').trim();
  return { at, says: line.length > longest ? `${line.slice(0, longest - 1)}…` : line };
}

/** `file:line` as editors jump to it, and the path within where there is no line. */
export function placeText({ file, line, path }: SourcePosition): string {
  if (line !== undefined) return `${file}:${line}`;
  return path === undefined || path === '' ? file : `${file} (${path})`;
}
