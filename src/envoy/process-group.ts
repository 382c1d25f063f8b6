import { guardLeftover, shellCommand } from './leftovers.ts';
import type { LeftoverGuard } from './leftovers.ts';

/** Signals a process and its children; the process must lead a group (`detached: true`). Nothing happens if they are gone. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // gone already
  }
}

/** Makes sure that a process group does not outlive this process. */
export function guardGroup(pid: number): LeftoverGuard {
  return guardLeftover({ shell: shellCommand('kill', '-s', 'KILL', '--', `-${pid}`), clear: () => signalGroup(pid, 'SIGKILL') });
}
