// Writes docs/openapi.json out of the route table of src/control/.
//
//   node tools/openapi.mjs           write the file
//   node tools/openapi.mjs --check   compare; exit 1 if it differs
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, 'docs/openapi.json');
const folder = join(root, 'node_modules/.cache', `openapi-${process.pid}`);
const bundle = join(folder, 'openapi-document.mjs');

mkdirSync(folder, { recursive: true });
try {
  await build({
    absWorkingDir: root,
    entryPoints: ['tools/openapi-document.ts'],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const { openApiText } = await import(pathToFileURL(bundle).href);
  const text = openApiText();
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error('docs/openapi.json differs from the code; `node tools/openapi.mjs` writes it');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
