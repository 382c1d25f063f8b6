import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';

/**
 * Writes files into a folder, which is made if need be. A file that is there with other content is somebody's work: it stays, and nothing
 * is written, unless `force` is set.
 *
 * @throws FakeIstiodError `usage.invalid` for such files, `output.unwritable`
 */
export function writeLabFolder(dir: string, files: ReadonlyMap<string, string>, force: boolean): void {
  const others = force ? [] : [...files].filter(([name, text]) => hasOther(join(dir, name), text)).map(([name]) => name);
  if (others.length > 0) {
    throw new FakeIstiodError('usage.invalid', `${dir} has ${others.join(', ')} already, with other content`, {
      remedy: 'Name another folder, or overwrite them with --force',
    });
  }
  try {
    mkdirSync(dir, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(dir, name), text);
  } catch (cause) {
    throw new FakeIstiodError('output.unwritable', `${dir} cannot be written to: ${(cause as Error).message}`, {
      remedy: 'Name a folder that you may write to',
      cause,
    });
  }
}

function hasOther(file: string, text: string): boolean {
  try {
    return existsSync(file) && readFileSync(file, 'utf8') !== text;
  } catch {
    return true;
  }
}
