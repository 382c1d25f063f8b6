import { execFile } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../..');
const folder = join(checkout, 'node_modules/.cache', `peers-${process.pid}`);
const requireForCommonJs =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);" +
  'const __dirname = import.meta.dirname, __filename = import.meta.filename;';

/** Path of the program of this checkout as it is now, whatever dist/ holds. */
export async function bundledProgram(): Promise<string> {
  mkdirSync(folder, { recursive: true });
  await build({
    absWorkingDir: checkout,
    entryPoints: { 'fake-istiod': 'src/cli/main.ts' },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    banner: { js: requireForCommonJs },
  });
  return join(folder, 'fake-istiod.js');
}

export function removeProgram(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a command that ends by itself, and gives its stdout. */
export async function runProgram(program: string, ...args: readonly string[]): Promise<string> {
  return (await run(process.execPath, [program, ...args])).stdout;
}
