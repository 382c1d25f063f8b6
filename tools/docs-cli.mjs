// Writes docs/cli.md out of the tree of commands.
//
//   node tools/docs-cli.mjs           write the page
//   node tools/docs-cli.mjs --check   compare; exit 1 if it differs
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs/cli.md');
// Inside the package, because the program looks for its own package.json upwards.
const folder = join(root, 'node_modules/.cache', `docs-cli-${process.pid}`);
const bundle = join(folder, 'cli-reference.mjs');

mkdirSync(folder, { recursive: true });
try {
  await build({
    absWorkingDir: root,
    entryPoints: ['tools/cli-reference.ts'],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // What commands do is not asked for, only what they are called.
    external: ['../action/*', '../completion-script.ts'],
  });
  const { cliReference } = await import(pathToFileURL(bundle).href);
  const text = cliReference();
  if (!process.argv.includes('--check')) writeFileSync(page, text);
  else if (readFileSync(page, 'utf8') !== text) {
    console.error('docs/cli.md differs from the commands; `node tools/docs-cli.mjs` writes it');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
