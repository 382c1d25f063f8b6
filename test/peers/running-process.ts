import { spawn } from 'node:child_process';

export interface Launch {
  /** What to call it when it disappoints. Default: the command. */
  readonly name?: string;
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Awaited {
  /** Lines up to this one do not count; see `lineCount`. Default 0: what was printed already counts. */
  readonly after?: number;
  /** Default 30 s. */
  readonly withinMs?: number;
}

/** A process whose lines can be waited for: stdout and stderr as one. */
export interface Running {
  readonly lines: readonly string[];
  /** How many lines there are by now: `after` for what is to come. */
  readonly lineCount: number;
  /** Resolves when the process and all who hold its pipes are gone. */
  readonly ended: Promise<number | null>;
  /** The first line that matches. Rejects when there is none in time, or none will come because the process ended. */
  line(pattern: RegExp, awaited?: Awaited): Promise<string>;
}

/** Starts a program; who started it has to see to it that it ends. */
export function startProcess(command: string, args: readonly string[], { name = command, cwd, env }: Launch = {}): Running {
  const child = spawn(command, [...args], { stdio: ['ignore', 'pipe', 'pipe'], cwd, env: { ...process.env, ...env } });
  const lines: string[] = [];
  const looks = new Set<() => void>();
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  ended.catch(() => undefined);
  for (const pipe of [child.stdout, child.stderr]) {
    let rest = '';
    pipe.setEncoding('utf8').on('data', (piece: string) => {
      const parts = (rest + piece).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
      looks.forEach((look) => look());
    });
  }
  return {
    lines,
    get lineCount() {
      return lines.length;
    },
    ended,
    line: (pattern, { after = 0, withinMs = 30_000 } = {}) =>
      new Promise((resolve, reject) => {
        const deadline = AbortSignal.timeout(withinMs);
        const settle = (act: () => void): void => {
          looks.delete(look);
          act();
        };
        const look = (): void => {
          const found = lines.slice(after).find((line) => pattern.test(line));
          if (found !== undefined) settle(() => resolve(found));
        };
        const fail = (why: string): void =>
          settle(() => reject(new Error(`${why}: no line ${pattern} from ${name}; its last lines:\n${lines.slice(-25).join('\n')}`)));
        deadline.addEventListener('abort', () => fail(`after ${withinMs} ms`));
        ended.then(
          () => fail('it ended'),
          (error: Error) => fail(error.message),
        );
        looks.add(look);
        look();
      }),
  };
}
