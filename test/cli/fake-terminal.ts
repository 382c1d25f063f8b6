import { systemClock, type Clock } from '../../src/clock.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal, TextSink } from '../../src/cli/terminal.ts';

/** A terminal that keeps what is written, with a Ctrl-C of its own. */
export interface FakeTerminal extends Terminal {
  readonly written: { readonly stdout: string; readonly stderr: string };
  /** Presses Ctrl-C. */
  interrupt(): void;
  /** Settles as soon as stderr or stdout holds `text`. */
  until(text: string): Promise<void>;
}

export interface FakeTerminalOptions {
  /** Default: the machine's. */
  readonly clock?: Clock;
  readonly isTty?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
}

export function fakeTerminal({ isTty = false, env = {}, stdin = '', clock = systemClock }: FakeTerminalOptions = {}): FakeTerminal {
  const written = { stdout: '', stderr: '' };
  const tasks = new Set<() => void>();
  const waits = new Set<() => void>();
  const sink = (to: 'stdout' | 'stderr'): TextSink => ({
    isTty,
    columns: 80,
    write(text) {
      written[to] += text;
      waits.forEach((look) => look());
    },
  });
  return {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env,
    clock,
    readStdin: () => Promise.resolve(Buffer.from(stdin)),
    onInterrupt(task) {
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    written,
    interrupt: () => tasks.forEach((task) => task()),
    until: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!written.stdout.includes(text) && !written.stderr.includes(text)) return;
          waits.delete(look);
          resolve();
        };
        waits.add(look);
        look();
      }),
  };
}

/** What a command line printed and ended with. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line to its end. */
export async function cli(argv: readonly string[], options: FakeTerminalOptions = {}): Promise<Outcome> {
  const terminal = fakeTerminal(options);
  const code = await runCommandLine(argv, terminal);
  return { code, ...terminal.written };
}
