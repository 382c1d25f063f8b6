import type { LabFile } from './lab-file.ts';

/** `unjudged`: what it is held against is not there or cannot be read. */
export type LineStatus = 'right' | 'wrong' | 'missing' | 'unjudged';

/** What is said of one line of a file, or of one part of it. */
export interface LineGrade {
  /** The name of a `name=value` line, a path of a bootstrap, or words for what the line is about. */
  readonly name: string;
  readonly status: LineStatus;
  /** Where it stands, from 1. */
  readonly line?: number;
  /** What stands there, shortened. */
  readonly found?: string;
  /** What to look at; never the answer. A sentence or two with a full stop. */
  readonly hint?: string;
}

/** What is said of one file. */
export interface FileGrade {
  readonly file: LabFile;
  /** Its name in the folder, where that is another. */
  readonly path: string;
  /** The worst of its lines. */
  readonly status: LineStatus;
  readonly lines: readonly LineGrade[];
  /** Why the file as a whole is not right; then it has no lines. */
  readonly problem?: string;
  /** What to do about that. */
  readonly hint?: string;
}

const worstFirst: readonly LineStatus[] = ['wrong', 'missing', 'unjudged'];

/** A file of which every line was looked at. */
export function fileGrade(file: LabFile, lines: readonly LineGrade[]): FileGrade {
  const status = worstFirst.find((one) => lines.some((line) => line.status === one)) ?? 'right';
  return { file, path: file, status, lines };
}

export function right(name: string, line?: number): LineGrade {
  return { name, status: 'right', ...at(line) };
}

export function wrong(name: string, hint: string, more: { readonly line?: number | undefined; readonly found?: unknown } = {}): LineGrade {
  return { name, status: 'wrong', ...at(more.line), ...(more.found === undefined ? {} : { found: shortText(more.found) }), hint };
}

export function missing(name: string, hint: string): LineGrade {
  return { name, status: 'missing', hint };
}

export function unjudged(name: string, hint: string, line?: number): LineGrade {
  return { name, status: 'unjudged', ...at(line), hint };
}

function at(line: number | undefined): { readonly line?: number } {
  return line === undefined ? {} : { line };
}

const longest = 90;

/** A value on one line, cut where it gets long. */
export function shortText(value: unknown): string {
  const text =
    typeof value === 'string' ? value : (JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)) ?? '');
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
