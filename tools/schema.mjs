// Writes scenarios/scenario.schema.json out of src/script/schema*.ts.
//
//   node tools/schema.mjs           write the file
//   node tools/schema.mjs --check   compare; exit 1 if it differs
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, 'scenarios/scenario.schema.json');
const folder = join(root, 'node_modules/.cache', `schema-${process.pid}`);
const bundle = join(folder, 'scenario-schema.mjs');

mkdirSync(folder, { recursive: true });
try {
  await build({
    absWorkingDir: root,
    entryPoints: ['tools/scenario-schema.ts'],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const { scenarioSchema } = await import(pathToFileURL(bundle).href);
  const text = scenarioSchema();
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error('scenarios/scenario.schema.json differs from the code; `node tools/schema.mjs` writes it');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
