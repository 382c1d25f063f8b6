import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FakeIstiodError } from '../errors.ts';

let found: string | undefined;

/**
 * The absolute folder of the fake-istiod package: where `proto/` and `scenarios/` lie. The same from `src/`, from
 * `dist/lib` and from a bundle in `dist/bin`: the nearest folder above this code whose `package.json` is ours.
 */
export function packageRoot(): string {
  found ??= search(dirname(fileURLToPath(import.meta.url)));
  return found;
}

function search(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (isOurs(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) {
      throw new FakeIstiodError('internal', `no package.json of fake-istiod above ${start}`, {
        remedy: 'Install the package whole; a copied file cannot find its data',
      });
    }
  }
}

function isOurs(file: string): boolean {
  if (!existsSync(file)) return false;
  const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown };
  return name === 'fake-istiod';
}
