import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPki, type OpenPkiOptions } from '../../src/ca/pki-folder.ts';
import { workFolder } from '../cli/work-folder.ts';

/** A file of a folder. */
export function text(dir: string, file: string): string {
  return readFileSync(join(dir, file), 'utf8');
}

/** A folder with an authority of its own, gone when the test is over. */
export async function newPki(options: OpenPkiOptions = {}): Promise<string> {
  const dir = workFolder();
  await openPki(dir, { create: true, ...options });
  return dir;
}
