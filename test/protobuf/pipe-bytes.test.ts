import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDocument } from '../../src/protobuf/document.ts';
import { readPipe } from '../../src/protobuf/pipe-bytes.ts';
import { errorOf } from './in-memory.ts';

let dir = '';
let pipe = '';
const writers: ChildProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fake-istiod-test-'));
  pipe = join(dir, 'pipe.yaml');
  execFileSync('mkfifo', [pipe]);
});
afterEach(() => {
  writers.splice(0).forEach((writer) => writer.kill('SIGKILL'));
  rmSync(dir, { recursive: true, force: true });
});

/** A shell that has the pipe open for reading and writing, so that it need not wait for us, and does `script` before it lets go. */
async function writer(script: string): Promise<void> {
  const child = spawn('sh', ['-c', `exec 3<>"$0"; echo open; ${script}`, pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  writers.push(child);
  await once(child.stdout, 'data');
}

describe.skipIf(process.platform === 'win32')('a pipe', () => {
  it('is read to its end, though it holds more than goes in at once', async () => {
    await writer(`echo "a: 1" >&3; head -c 300000 /dev/zero | tr '\\0' '#' >&3; echo >&3; echo "b: 2" >&3`);
    expect(readDocument(pipe).value).toEqual({ a: 1, b: 2 });
  });

  it('that nobody writes to does not hold the process up', () => {
    expect(errorOf(() => readDocument(pipe))).toMatchObject({ code: 'input.empty', message: `${pipe}: the file is empty (0 bytes)` });
  });

  it('that is open and silent is given up', async () => {
    await writer('read forever < "$0"');
    expect(() => readPipe(pipe, 100, 60)).toThrow('nothing came out of it for 0.06 s');
  });

  it('is not read further than to the limit', () => {
    expect(errorOf(() => readDocument('/dev/zero', { maxInputBytes: 1000 }))).toMatchObject({
      code: 'input.too-large',
      message: '/dev/zero: holds more than the limit of 1000 bytes. Raise it with --max-input (maxInputBytes)',
    });
  });
});
