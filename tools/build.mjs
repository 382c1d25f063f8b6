// Builds dist/: the library (dist/lib, one file a module, with types; dist/cjs, the same for CommonJS) and the command (dist/bin, bundled so that
// it starts fast).
// All is made beside what is there and takes its place at the end: dist/ can be used meanwhile, and outlives a build that fails.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOfInputs, stampFile } from './build-inputs.mjs';
import { bundleCommand } from './bundle.mjs';
import { bundleLibrary, copyDeclarations } from './cjs.mjs';
import { compileAhead } from './compile-ahead.mjs';
import { compileScenarios } from './compile-scenarios.mjs';
import { thirdPartyNotices } from './third-party.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
mkdirSync(dist, { recursive: true });
/** Where the parts are made. Inside dist/, so that renaming never crosses a file system; npm packs nothing of dist/ that begins with a dot. */
const made = mkdtempSync(join(dist, '.made-'));
const bin = join(made, 'bin');
const lib = join(made, 'lib');
const cjs = join(made, 'cjs');
const scenarios = join(made, 'scenarios');

async function buildCommand() {
  const inputs = await bundleCommand(root, bin);
  writeFileSync(join(bin, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(root, inputs));
}

function buildLibrary() {
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.lib.json'), '--outDir', lib];
  return new Promise((resolve, reject) => {
    const compiler = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    compiler.on('error', reject);
    compiler.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error('the library does not compile; the compiler says why above')),
    );
  });
}

/** The compiler rewrites `./x.ts` to `./x.js` in the code it writes, but not in the declarations. */
function rewriteDeclarations() {
  for (const name of readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'))) {
    const file = join(lib, name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
  }
}

/** Puts the new parts where the old ones are. Without the stamp in between: should this be cut short, the next set-up builds again. */
function takePlace() {
  rmSync(stampFile(root), { force: true });
  for (const part of ['lib', 'cjs', 'bin', 'scenarios']) {
    if (existsSync(join(dist, part))) renameSync(join(dist, part), join(made, `old-${part}`));
    renameSync(join(made, part), join(dist, part));
  }
}

async function build() {
  const builtFrom = hashOfInputs(root);
  for (const folder of [bin, lib, cjs, scenarios]) mkdirSync(folder);
  const parts = await Promise.allSettled([buildLibrary().then(rewriteDeclarations), bundleLibrary(root, cjs), buildCommand()]);
  const failed = parts.filter((part) => part.status === 'rejected');
  for (const { reason } of failed) process.stderr.write(`build: ${reason.message}\n`);
  if (failed.length > 0) return false;
  copyDeclarations(lib, cjs);
  await compileScenarios(root, scenarios, join(made, 'loader'));
  takePlace();
  await compileAhead(join(dist, 'bin'));
  writeFileSync(stampFile(root), builtFrom);
  return true;
}

try {
  if (!(await build())) process.exitCode = 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}
