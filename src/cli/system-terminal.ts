import { systemClock } from '../clock.ts';
import { ExitCode, FakeIstiodError } from '../errors.ts';
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
  let stdoutFailure: NodeJS.ErrnoException | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      // Handlers of 'exit' end what still runs, so leaving at once leaves nothing behind.
      if (interrupted || tasks.size === 0) process.exit(ExitCode.interrupted);
      interrupted = true;
      interrupt();
    });
  }
  return {
    stdout: sinkOf(process.stdout, (error) => {
      // Who has read enough (`| head`) is content; a full disk is not.
      if (error.code !== 'EPIPE') stdoutFailure = error;
      interrupt();
    }),
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
      process.stdout.write('', () => {
        const [text, kept] = stdoutFailure ? lostOutput(stdoutFailure, code) : ['', code];
        process.stderr.write(text, () => process.exit(kept));
      });
    },
  };
}

/** What to say, and the exit code, where results could not be written. What went wrong before that counts for more. */
function lostOutput(error: Error, code: number): [text: string, code: number] {
  const { message, exitCode } = new FakeIstiodError('output.unwritable', `stdout cannot be written: ${error.message}`, {
    remedy: 'Send it where there is room and permission',
  });
  return [`fake-istiod: ${message}\n`, code === ExitCode.ok || code === ExitCode.interrupted ? exitCode : code];
}

/** A stream that takes no more is told once to `onGone`; what is written afterwards is lost. */
function sinkOf(stream: NodeJS.WriteStream, onGone: (error: NodeJS.ErrnoException) => void): TextSink {
  let gone = false;
  const onError = (error: NodeJS.ErrnoException | null | undefined): void => {
    if (!error || gone) return;
    gone = true;
    onGone(error);
  };
  // Of a file the event comes too late for a process that ends with this write.
  stream.on('error', onError);
  return {
    write: (text) => void (gone || stream.write(text, onError)),
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
