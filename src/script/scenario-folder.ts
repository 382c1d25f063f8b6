import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';

let folder: string | undefined;

/**
 * From now on the scenarios of this folder can be named as those of the package, and go before them; without one, only those of the package.
 * For a program that owns its process: `fake-istiod` with `FAKE_ISTIOD_SCENARIOS`. The folder need not be there.
 */
export function useScenarioFolder(dir: string | undefined): void {
  folder = dir === '' ? undefined : dir;
}

/** The folder of `useScenarioFolder`. */
export function scenarioFolder(): string | undefined {
  return folder;
}

/** The scenarios of that folder as they are now: name → file. */
export function scenariosOfFolder(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const file of folder === undefined ? [] : filesOf(folder)) {
    const name = file.replace(/\.ya?ml$/, '');
    if (name !== file && !found.has(name) && isFile(join(folder ?? '', file))) found.set(name, join(folder ?? '', file));
  }
  return found;
}

/**
 * The file of a scenario of that folder; undefined if there is none of that name. Error `input.unreadable` for a folder in its place, and where
 * this user may not look.
 */
export function fileOfFolder(name: string): string | undefined {
  const dir = folder;
  if (dir === undefined || !/^[\w-]+$/.test(name)) return undefined;
  const paths = [`${name}.yaml`, `${name}.yml`].map((file) => join(dir, file));
  try {
    const found = paths.find(isFile) ?? paths.find((path) => existsSync(path));
    if (found === undefined || isFile(found)) return found;
    throw new FakeIstiodError('input.unreadable', `${found} is a folder`, {
      remedy: 'Docker makes one where the file that is to be mounted is not there: look at the path before the colon of -v or volumes',
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    throw new FakeIstiodError('input.unreadable', `${dir} cannot be read: permission denied`, {
      remedy: 'Let others read it, for whom a container runs as another user: chmod -R a+rX on the folder that is mounted',
    });
  }
}

function filesOf(dir: string): readonly string[] {
  try {
    return readdirSync(dir).sort();
  } catch {
    // Not mounted.
    return [];
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
