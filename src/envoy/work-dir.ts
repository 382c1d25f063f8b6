import { mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardLeftover, shellCommand } from './leftovers.ts';

/** A temporary directory that does not outlive this process. */
export interface WorkDir {
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes one, named `fake-istiod-PURPOSE-…`. */
export function makeWorkDir(purpose: string): WorkDir {
  const path = mkdtempSync(join(tmpdir(), `fake-istiod-${purpose}-`));
  const clear = (): void => rmSync(path, { recursive: true, force: true });
  const guard = guarded(path, clear);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      await guard.release();
    },
  };
}

/** Where nobody can be set to watch, the directory goes at once. */
function guarded(path: string, clear: () => void): ReturnType<typeof guardLeftover> {
  try {
    return guardLeftover({ shell: shellCommand('rm', '-rf', '--', path), clear });
  } catch (error) {
    clear();
    throw error;
  }
}
