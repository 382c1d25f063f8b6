import { closeSync, constants, openSync, readSync } from 'node:fs';

/** A pipe from which nothing came for too long. */
export class PipeSilent extends Error {
  constructor(silentMs: number) {
    super(`nothing came out of it for ${silentMs / 1000} s`);
  }
}

const pieceBytes = 64 * 1024;
const pauseMs = 20;

/**
 * What comes out of a pipe, a device or a terminal, which tell no size before: to its end, or one byte more than `maxBytes`.
 *
 * @note Opened so that no call blocks. A blocked one would keep the whole process from seeing a Ctrl-C, for as long as nobody writes.
 * @throws PipeSilent if it is open for writing somewhere, but nothing came for `silentMs` (default 10 s); else what the system says.
 */
export function readPipe(path: string, maxBytes: number, silentMs = 10_000): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const pieces: Buffer[] = [];
    let length = 0;
    for (let silent = 0; length <= maxBytes;) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, maxBytes + 1 - length));
      const count = readWhatIsThere(descriptor, piece);
      if (count === 0) break;
      if (count === undefined) {
        if (silent >= silentMs) throw new PipeSilent(silentMs);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
        silent += pauseMs;
        continue;
      }
      silent = 0;
      length += count;
      pieces.push(piece.subarray(0, count));
    }
    return Buffer.concat(pieces);
  } finally {
    closeSync(descriptor);
  }
}

/** How many bytes were read; 0 at the end, undefined if there is none yet. */
function readWhatIsThere(descriptor: number, into: Buffer): number | undefined {
  try {
    return readSync(descriptor, into);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
