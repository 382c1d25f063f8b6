import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

export interface OrphanGuardOptions {
  /** A command that ends what must not outlive this process, e.g. `['kill', '-s', 'KILL', '--', '-123']`. */
  readonly command: readonly string[];
  /** A directory to remove as well. */
  readonly dir?: string;
  /** The same as `command`, done synchronously when this process exits in an orderly way. */
  readonly onProcessExit: () => void;
}

/** Watches over a child. `release` calls the watch off and settles when the watcher is gone. */
export interface OrphanGuard {
  release(): Promise<void>;
}

/** Waits for a line on its stdin; end of file instead means that the parent is gone, however it died. */
const watchScript = 'trap "" HUP INT TERM; read -r _ && exit 0; dir=$1; shift; "$@"; [ -z "$dir" ] || rm -rf -- "$dir"';

const exitTasks = new Set<() => void>();

function runExitTasks(): void {
  for (const task of exitTasks) task();
}

/**
 * Makes sure that a child does not outlive this process. Node cannot ask the kernel for it, and nothing of ours runs after a
 * SIGKILL; so a tiny shell holds the other end of a pipe and acts when that closes. Where no `sh` is, only an orderly exit is
 * covered.
 */
export function guardOrphan({ command, dir, onProcessExit }: OrphanGuardOptions): OrphanGuard {
  const exitTask = (): void => {
    onProcessExit();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  };
  if (exitTasks.size === 0) process.on('exit', runExitTasks);
  exitTasks.add(exitTask);

  const watcher = spawn('sh', ['-c', watchScript, 'sh', dir ?? '', ...command], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watcher.unref();
  const gone = new Promise<void>((resolve) => watcher.once('error', () => resolve()).once('exit', () => resolve()));
  watcher.stdin.on('error', () => undefined);
  if ('unref' in watcher.stdin && typeof watcher.stdin.unref === 'function') watcher.stdin.unref();
  return {
    async release() {
      exitTasks.delete(exitTask);
      if (exitTasks.size === 0) process.off('exit', runExitTasks);
      watcher.ref();
      watcher.stdin.end('\n');
      await gone;
    },
  };
}
