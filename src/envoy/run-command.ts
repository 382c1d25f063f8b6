import type { Readable } from 'node:stream';
import { LineRing } from './envoy-log.ts';
import { guardGroup, signalGroup } from './process-group.ts';
import { spawnPiped } from './spawn-piped.ts';

/** What a finished command left behind. */
export interface CommandResult {
  /** `undefined` if it was ended by a signal or could not be started. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it could not be started or was cut off, e.g. `spawn docker ENOENT` or `no answer within 5 s`. */
  readonly failure?: string;
}

export interface RunCommandOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** After so long the command is killed; default 10 s. */
  readonly timeoutMs?: number;
  /** Told each line of stdout and stderr as it comes. */
  readonly onLine?: (line: string) => void;
  /** Whether the command is ended with this process, however that ends; for commands that take long. */
  readonly guarded?: boolean;
}

/** Runs a command to its end, without a shell. Never rejects: the result says what went wrong. */
export function runCommand(command: string, args: readonly string[], options: RunCommandOptions = {}): Promise<CommandResult> {
  const { timeoutMs = 10_000, env, onLine, guarded = false } = options;
  return new Promise((resolve) => {
    const { child, stdout, stderr, onDrained } = spawnPiped(command, args, { detached: guarded, ...(env ? { env } : {}) });
    const guard = guarded && child.pid !== undefined ? guardGroup(child.pid) : undefined;
    const out = gather(stdout, onLine);
    const err = gather(stderr, onLine);
    let failure: string | undefined;
    const timer = setTimeout(() => {
      failure = `no answer within ${timeoutMs / 1000} s`;
      if (guarded && child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    }, timeoutMs);
    const end = (code: number | undefined): void => {
      clearTimeout(timer);
      void guard?.release();
      resolve({ code: failure ? undefined : code, stdout: out(), stderr: err(), ...(failure ? { failure } : {}) });
    };
    child.on('error', (error) => {
      failure = error.message;
      end(undefined);
    });
    const drained = new Promise<void>((done) => onDrained(done));
    child.on('exit', (code) => void drained.then(() => end(code ?? undefined)));
  });
}

/** Collects a stream; the result gives its whole text and completes the last line. */
function gather(stream: Readable, onLine: RunCommandOptions['onLine']): () => string {
  const pieces: string[] = [];
  const lines = onLine && new LineRing(1, onLine);
  stream.setEncoding('utf8').on('data', (piece: string) => {
    pieces.push(piece);
    lines?.write(piece);
  });
  return () => {
    lines?.end();
    return pieces.join('');
  };
}

/** One line that says how a command failed: its last line on stderr (or stdout), else why it did not run. */
export function failureText({ failure, code, stdout, stderr }: CommandResult): string {
  const last = (text: string): string | undefined => text.trim().split('\n').at(-1)?.trim();
  return failure ?? (last(stderr) || last(stdout) || `exit code ${code ?? 'none'}`);
}
