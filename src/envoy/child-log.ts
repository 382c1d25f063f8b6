import { createWriteStream } from 'node:fs';
import { LineRing } from './envoy-log.ts';
import type { PipedChild } from './spawn-piped.ts';

export interface KeepLogOptions {
  /** A file that gets the whole log. */
  readonly logFile?: string;
  /** Told each line. */
  readonly onLog?: (line: string) => void;
}

/** The log of a child: its newest lines in memory, all of it in a file where one is named. */
export interface ChildLog {
  /** At most 5000, oldest first. Grows. */
  readonly lines: readonly string[];
  /** The child has ended: completes the last line and the file. */
  end(): Promise<void>;
}

const keptLines = 5_000;

/** Keeps what a child writes to stdout and stderr. */
export function keepLog(child: PipedChild, { logFile, onLog }: KeepLogOptions): ChildLog {
  const ring = new LineRing(keptLines, onLog);
  // A log file that cannot be written must not end the run; the lines are in memory too.
  const file = logFile === undefined ? undefined : createWriteStream(logFile).on('error', () => undefined);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      ring.write(piece);
      file?.write(piece);
    });
  }
  return {
    lines: ring.lines,
    async end() {
      ring.end();
      if (file && !file.destroyed) await new Promise<void>((resolve) => file.once('close', () => resolve()).end());
    },
  };
}
