import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it; one that is there already is fine. Errors are the system's.
 *
 * @note Not `mkdir` with `recursive`: where the folder above is there and yet the system says ENOENT, as in /proc, Node tries again for ever.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error;
    await makeFolder(above);
    // Once more and no more: somebody else may have made the folder above meanwhile.
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
