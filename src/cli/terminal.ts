import type { Clock } from '../clock.ts';

/** Where text goes. */
export interface TextSink {
  /** Writes `text` as it stands; a reader that went away is no error. */
  write(text: string): void;
  readonly isTty: boolean;
  /** Width in characters; 80 where there is no terminal. */
  readonly columns: number;
}

/** All that a command may touch of the process it runs in, handed in so that tests can run a command in their own. */
export interface Terminal {
  /** Results: what a program may read. */
  readonly stdout: TextSink;
  /** Progress, log and errors. */
  readonly stderr: TextSink;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** All of standard input, at most `maxBytes` + 1 of it. */
  readStdin(maxBytes: number): Promise<Uint8Array>;
  /**
   * Calls `task` at Ctrl-C, SIGTERM and SIGHUP, and when whoever read stdout has gone. The returned function calls it off. While
   * nobody listens, Ctrl-C ends the process at once; a second Ctrl-C always does.
   */
  onInterrupt(task: () => void): () => void;
}

/** A line of text. */
export function writeLine(sink: TextSink, text = ''): void {
  sink.write(`${text}\n`);
}

/** Whether text for `sink` may be coloured: on a terminal, unless NO_COLOR (no-color.org) or TERM=dumb says no. */
export function mayColour(sink: TextSink, env: NodeJS.ProcessEnv): boolean {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '0') return true;
  return sink.isTty && env['TERM'] !== 'dumb';
}
