// What the build depends on, as one hash: so that "is dist/ stale?" does not hang on file times, which git does not keep.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const inputs = [
  'src',
  'scenarios',
  'tools/build.mjs',
  'tools/bundle.mjs',
  'tools/cjs.mjs',
  'tools/compile-ahead.mjs',
  'tools/compiled-scripts.cjs',
  'tools/compile-scenarios.mjs',
  'tools/third-party.mjs',
  'tsconfig.json',
  'tsconfig.lib.json',
  'package.json',
  'package-lock.json',
];

function filesUnder(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}

/** Hex SHA-256 over names and contents of every input of the build. */
export function hashOfInputs(root) {
  const hash = createHash('sha256').update(process.versions.node.split('.')[0]);
  for (const path of inputs.flatMap((input) => filesUnder(join(root, input)))) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

/** The file of dist/ that holds the hash dist/ was built from. */
export const stampFile = (root) => join(root, 'dist/.built-from');
