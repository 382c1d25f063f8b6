// Builds dist/: the library (dist/lib, one file a module, with types) and the command (dist/bin, bundled so that it starts fast).
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOfInputs, stampFile } from './build-inputs.mjs';
import { bundleCommand } from './bundle.mjs';
import { compileScenarios } from './compile-scenarios.mjs';
import { thirdPartyNotices } from './third-party.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, 'dist/bin');
const lib = join(root, 'dist/lib');

async function buildCommand() {
  const inputs = await bundleCommand(root, bin);
  writeFileSync(join(bin, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(root, inputs));
}

function buildLibrary() {
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.lib.json')];
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

const builtFrom = hashOfInputs(root);
rmSync(stampFile(root), { force: true });
for (const folder of [bin, lib]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
const failed = (await Promise.allSettled([buildLibrary().then(rewriteDeclarations), buildCommand()])).filter(
  (result) => result.status === 'rejected',
);
for (const { reason } of failed) process.stderr.write(`build: ${reason.message}\n`);
if (failed.length > 0) process.exit(1);
await compileScenarios(root);
writeFileSync(stampFile(root), builtFrom);
