import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { FakeIstiodError } from '../errors.ts';
import { PipeSilent, readPipe } from './pipe-bytes.ts';

/** 16 MiB: YAML takes some eighty times its size in memory. */
export const defaultMaxInputBytes = 16 * 1024 * 1024;

/** What to read: a path, or bytes already read with the name to show. */
export type DocumentSource = string | { readonly name: string; readonly bytes: Uint8Array };

/** The text of a user's file, checked for size before it is read and for UTF-8 before it is parsed. */
export function readText(source: DocumentSource, maxInputBytes: number): { readonly name: string; readonly text: string } {
  const name = typeof source === 'string' ? source : source.name;
  const bytes = typeof source === 'string' ? readBytes(source, maxInputBytes) : source.bytes;
  // Of stdin and pipes no more is read than shows that it is too much.
  if (bytes.length === maxInputBytes + 1) throw tooLarge(name, `holds more than the limit of ${maxInputBytes} bytes`);
  refuseLarge(name, bytes.length, maxInputBytes);
  if (bytes.length === 0) throw fault('input.empty', name, 'the file is empty (0 bytes)');
  refuseOtherEncodings(name, bytes);
  return { name, text: new TextDecoder('utf-8').decode(bytes) };
}

function readBytes(file: string, maxInputBytes: number): Uint8Array {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) throw fault('input.unreadable', file, 'is a directory', 'Give a file');
    if (!stat.isFile()) return readPipe(file, maxInputBytes);
    refuseLarge(file, stat.size, maxInputBytes);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof FakeIstiodError) throw error;
    if (error instanceof PipeSilent) throw fault('input.unreadable', file, error.message, 'Give a file, or a pipe that is written to');
    throw fault('input.unreadable', file, ...unreadable(error as NodeJS.ErrnoException));
  }
}

function unreadable({ code, message }: NodeJS.ErrnoException): [what: string, remedy?: string] {
  if (code === 'ENOENT' || code === 'ENOTDIR') return ['no such file', 'Check the path; it is taken from the current folder'];
  if (code === 'EACCES' || code === 'EPERM') return ['may not be read (permission denied)', 'Give this user read permission'];
  return [`cannot be read: ${message}`];
}

function refuseLarge(name: string, size: number, limit: number): void {
  if (size > limit) throw tooLarge(name, `is ${size} bytes, more than the limit of ${limit}`);
}

function tooLarge(name: string, what: string): FakeIstiodError {
  return fault('input.too-large', name, what, 'Raise it with --max-input (maxInputBytes)');
}

const byteOrderMarks: readonly (readonly [encoding: string, ...bytes: number[]])[] = [
  ['UTF-32', 0xff, 0xfe, 0, 0],
  ['UTF-32', 0, 0, 0xfe, 0xff],
  ['UTF-16 (little endian)', 0xff, 0xfe],
  ['UTF-16 (big endian)', 0xfe, 0xff],
];

function refuseOtherEncodings(name: string, bytes: Uint8Array): void {
  for (const [encoding, ...mark] of byteOrderMarks) {
    if (mark.every((byte, i) => bytes[i] === byte)) {
      throw fault('input.not-utf8', name, `is ${encoding}, not UTF-8`, 'Save it as UTF-8');
    }
  }
  const bad = isUtf8(bytes) ? bytes.indexOf(0) : firstInvalidByte(bytes);
  if (bad === -1) return;
  const line = bytes.subarray(0, bad).filter((byte) => byte === 0x0a).length + 1;
  const found = `0x${(bytes[bad] ?? 0).toString(16).padStart(2, '0')}`;
  const what = bytes[bad] === 0 ? 'is binary (a zero byte)' : `is not UTF-8 (${found})`;
  throw FakeIstiodError.of('input.not-utf8', [
    { at: { file: name, line }, what: `${what} at byte ${bad}`, remedy: 'Give YAML or JSON text in UTF-8' },
  ]);
}

/** Where the decoder first puts a replacement character that the input does not hold itself. */
function firstInvalidByte(bytes: Uint8Array): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  for (let from = 0; ;) {
    const found = text.indexOf('\ufffd', from);
    if (found === -1) return bytes.length;
    offset += Buffer.byteLength(text.slice(from, found));
    if (bytes[offset] !== 0xef || bytes[offset + 1] !== 0xbf || bytes[offset + 2] !== 0xbd) return offset;
    [from, offset] = [found + 1, offset + 3];
  }
}

function fault(
  code: 'input.unreadable' | 'input.empty' | 'input.not-utf8' | 'input.too-large',
  file: string,
  what: string,
  remedy?: string,
): FakeIstiodError {
  return FakeIstiodError.of(code, [{ at: { file }, what, ...(remedy === undefined ? {} : { remedy }) }]);
}
