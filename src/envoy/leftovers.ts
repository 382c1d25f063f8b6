import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** Something outside this process that must not outlive it: a child, a container, a directory. */
export interface Leftover {
  /** The shell command that clears it away; see {@link shellCommand}. */
  readonly shell: string;
  /** The same, done synchronously. */
  clear(): void;
}

/** Ends the watch over a leftover that has been cleared away. */
export interface LeftoverGuard {
  /** Settles when no process is left that only watched over it. */
  release(): Promise<void>;
}

interface Watcher {
  tell(todo: string): void;
  end(): Promise<void>;
}

const leftovers = new Set<Leftover>();
let watcher: Watcher | undefined;

/**
 * Clears a leftover away when this process ends in whatever way. An orderly exit does it itself. After a SIGKILL nothing of ours
 * runs, and Node cannot ask the kernel to end children with their parent; so a tiny shell holds the other end of a pipe, is told
 * what would have to be done, and does it when the pipe closes. Where there is no `sh`, only an orderly exit is covered.
 */
export function guardLeftover(leftover: Leftover): LeftoverGuard {
  if (leftovers.size === 0) process.on('exit', clearAll);
  leftovers.add(leftover);
  watcher ??= startWatcher();
  watcher.tell(todoText());
  return {
    async release() {
      if (!leftovers.delete(leftover)) return;
      if (leftovers.size > 0) return watcher?.tell(todoText());
      process.off('exit', clearAll);
      const last = watcher;
      watcher = undefined;
      await last?.end();
    },
  };
}

/** A command line for `sh` in which no argument is more than itself. */
export function shellCommand(...words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

/** Newest first: a child goes before the directory that it uses. */
function newestFirst(): readonly Leftover[] {
  return [...leftovers].reverse();
}

function todoText(): string {
  return newestFirst()
    .map(({ shell }) => shell)
    .join('; ');
}

function clearAll(): void {
  for (const leftover of newestFirst()) leftover.clear();
}

/** Each line is the whole of what is to be done from now on. */
const watchScript = 'trap "" HUP INT TERM; todo=; while IFS= read -r line; do todo=$line; done; eval "$todo"';

function startWatcher(): Watcher {
  const shell = spawn('sh', ['-c', watchScript], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  const gone = new Promise<void>((resolve) => shell.once('error', () => resolve()).once('exit', () => resolve()));
  shell.stdin.on('error', () => undefined);
  unrefPipe(shell);
  return {
    tell: (todo) => void shell.stdin.write(`${todo}\n`),
    async end() {
      shell.ref();
      shell.stdin.end('\n');
      await gone;
    },
  };
}

/** Neither the shell nor its pipe is a reason for this process to stay. */
function unrefPipe(shell: ChildProcess): void {
  shell.unref();
  const pipe: unknown = shell.stdin;
  if (typeof pipe === 'object' && pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
}
