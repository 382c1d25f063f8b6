import { systemClock } from '../clock.ts';
import { ExitCode } from '../errors.ts';
import type { Terminal, TextSink } from './terminal.ts';

/** The terminal of this process. `end` leaves it, once all text has been handed over. */
export interface SystemTerminal extends Terminal {
  end(code: number): void;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The process's own streams, environment, clock and signals. Call once. */
export function systemTerminal(): SystemTerminal {
  const tasks = new Set<() => void>();
  const interrupt = (): void => [...tasks].forEach((task) => task());
  let interrupted = false;
  for (const signal of signals) {
    process.on(signal, () => {
      // Handlers of 'exit' end what still runs, so leaving at once leaves nothing behind.
      if (interrupted || tasks.size === 0) process.exit(ExitCode.interrupted);
      interrupted = true;
      interrupt();
    });
  }
  return {
    stdout: sinkOf(process.stdout, interrupt),
    stderr: sinkOf(process.stderr, () => undefined),
    env: process.env,
    clock: systemClock,
    readStdin,
    onInterrupt(task) {
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    end(code) {
      process.exitCode = code;
      process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
    },
  };
}

/** A reader that went away (`| head`) is told once to `onGone`; what is written afterwards is lost. */
function sinkOf(stream: NodeJS.WriteStream, onGone: () => void): TextSink {
  let gone = false;
  stream.on('error', () => {
    if (!gone) onGone();
    gone = true;
  });
  return {
    write: (text) => void (gone || stream.write(text)),
    isTty: stream.isTTY === true,
    get columns() {
      return stream.columns || 80;
    },
  };
}

async function readStdin(maxBytes: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of process.stdin as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, maxBytes + 1);
}
