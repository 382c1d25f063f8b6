// Writes docs/openapi.json and the table in docs/control.md out of the route table of src/control/.
//
//   node tools/openapi.mjs           write both
//   node tools/openapi.mjs --check   compare; exit 1 if it differs
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
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
  const { openApiText, withControlTable } = await import(pathToFileURL(bundle).href);
  const page = join(root, 'docs/control.md');
  const texts = new Map([
    [file, openApiText()],
    [page, withControlTable(readFileSync(page, 'utf8'))],
  ]);
  for (const [name, text] of texts) {
    if (!process.argv.includes('--check')) writeFileSync(name, text);
    else if (!existsSync(name) || readFileSync(name, 'utf8') !== text) {
      console.error(`${relative(root, name)} differs from the code; \`node tools/openapi.mjs\` writes it`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
