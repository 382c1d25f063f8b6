// Does node_modules hold what package-lock.json asks for? Answered from npm's own record, without starting npm.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** True if each wanted package is there in the wanted version. Packages for other platforms may be missing. */
export function isInstalled(root) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, 'node_modules/.package-lock.json'));
  if (!wanted || !present) return false;
  const same = (path) => wanted[path]?.version === present[path]?.version && wanted[path]?.integrity === present[path]?.integrity;
  const needed = Object.keys(wanted).filter((path) => path !== '' && !wanted[path].optional && !wanted[path].peer);
  return needed.every(same) && Object.keys(present).every(same);
}
