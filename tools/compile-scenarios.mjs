// Reads and checks the scenarios of the package when it is built, so that the command need not: <hash of the file>.json.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * Compiles every scenarios/*.yaml into `folder`, which is there; `scratch` is not, and lies under `root`. A scenario that names other files
 * is left to be read: they may change without it.
 */
export async function compileScenarios(root, folder, scratch) {
  const { loadScenario, compiledText } = await loader(root, scratch);
  for (const name of readdirSync(join(root, 'scenarios')).filter((file) => file.endsWith('.yaml'))) {
    const file = join(root, 'scenarios', name);
    const bytes = readFileSync(file);
    if (/^\s*files:/m.test(bytes.toString('utf8'))) continue;
    const hash = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(folder, `${hash}.json`), compiledText(await loadScenario(file)));
  }
}

/** The reader of scenarios as it stands in src/, in a bundle that is gone once it is loaded. It lies under `root`, from where it finds proto/. */
async function loader(root, folder) {
  const contents = "export * from './src/script/load.ts'; export * from './src/script/compiled-scenario.ts';";
  const shared = {
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  };
  try {
    await build({ ...shared, stdin: { contents, resolveDir: root }, outdir: folder, entryNames: 'loader' });
    const { loadScenario, compiledText } = await import(pathToFileURL(join(folder, 'loader.js')).href);
    // Loads what it imports only when it is used, while the bundle is still there.
    await loadScenario(join(root, 'scenarios/ready.yaml'));
    return { loadScenario, compiledText };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
