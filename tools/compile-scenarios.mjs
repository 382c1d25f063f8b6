// Reads and checks the scenarios of the package with dist/lib, so that the command need not: dist/scenarios/<hash of the file>.json.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Compiles every scenarios/*.yaml. A scenario that names other files is left to be read: they may change without it. */
export async function compileScenarios(root) {
  const from = (path) => import(pathToFileURL(join(root, 'dist/lib', path)).href);
  const [{ loadScenario }, { compiledText }] = await Promise.all([from('script/load.js'), from('script/compiled-scenario.js')]);
  const folder = join(root, 'dist/scenarios');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(join(root, 'scenarios')).filter((file) => file.endsWith('.yaml'))) {
    const file = join(root, 'scenarios', name);
    const bytes = readFileSync(file);
    if (/^\s*files:/m.test(bytes.toString('utf8'))) continue;
    const hash = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(folder, `${hash}.json`), compiledText(await loadScenario(file)));
  }
}
