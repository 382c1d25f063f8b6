import { existsSync } from 'node:fs';
import type { WrittenBody } from '../control/control-client.ts';
import { FakeIstiodError, type Problem } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import type { Terminal } from './terminal.ts';

/** What is read at most: the limit of the server, which would not take more. */
const maxBytes = 16 * 1024 * 1024;

/** A file as it was written, or standard input for `-`. */
export interface WrittenFile {
  readonly name: string;
  readonly document: SourceDocument;
  readonly bytes: Uint8Array;
}

/** Reads a file, or standard input for `-`. Errors `input.*` with line and column. */
export async function writtenFile(name: string, terminal: Terminal): Promise<WrittenFile> {
  const [{ readDocument }, { readFileSync }] = await Promise.all([import('../protobuf/document.ts'), import('node:fs')]);
  if (name === '-') {
    const bytes = await terminal.readStdin(maxBytes);
    return { name: '<stdin>', document: readDocument({ name: '<stdin>', bytes }, { maxInputBytes: maxBytes }), bytes };
  }
  // The reader's own error for a file that is none.
  const document = readDocument(name, { maxInputBytes: maxBytes });
  return { name, document, bytes: readFileSync(name) };
}

/** A file as a body that the server reads itself, so that it can name line and column. */
export function asBody({ bytes }: WrittenFile): WrittenBody {
  return { text: bytes, mediaType: 'application/yaml' };
}

/**
 * Hands over words of the command line, or what a file holds: `@file`, `@-` for standard input. What the server says of such a text is then
 * said of the file, with line and column.
 */
export async function withTextOrFile<T>(text: string, terminal: Terminal, work: (text: string | Uint8Array) => Promise<T>): Promise<T> {
  if (!text.startsWith('@')) return work(text);
  const { name, bytes } = await writtenFile(text.slice(1), terminal);
  return toldOfFile(name, work(bytes));
}

/** A scenario's name, or its file as a body. A file is what there is one of, or what looks like a path. */
export async function scenarioWanted(nameOrFile: string, terminal: Terminal): Promise<string | { readonly file: WrittenFile }> {
  const isName = /^[\w-]+$/.test(nameOrFile) && nameOrFile !== '-' && !existsSync(nameOrFile);
  return isName ? nameOrFile : { file: await writtenFile(nameOrFile, terminal) };
}

/** What the server says of a body, said of the file that it came from. */
export async function toldOfFile<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof FakeIstiodError) || error.problems.every(({ at }) => at?.file !== 'body')) throw error;
    const problems = error.problems.map((problem): Problem =>
      problem.at?.file === 'body' ? { ...problem, at: { ...problem.at, file: name } } : problem,
    );
    throw FakeIstiodError.of(error.code, problems, error);
  }
}
