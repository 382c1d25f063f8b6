// Keeps what V8 has compiled once `serve` listens, for the next start. Another V8 does not take it and compiles by itself.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const recorder = fileURLToPath(new URL('compiled-scripts.cjs', import.meta.url));

/** Writes `bin/compiled/<V8>-<processor>/`. Throws when `serve` does not come up: then nobody's would. */
export async function compileAhead(bin) {
  const folder = join(bin, 'compiled', `${process.versions.v8}-${process.arch}`);
  rmSync(join(bin, 'compiled'), { recursive: true, force: true });
  const args = ['--require', recorder, join(bin, 'fake-istiod.js'), 'serve', '--port', '0', '--plaintext-port', '0'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, COMPILED_SCRIPTS: folder } });
  let said = '';
  const told = (chunk) => {
    said += chunk;
    // The last that a start does: its first event is logged.
    if (said.includes('fake-istiod serves') && said.includes('server.started')) child.kill('SIGINT');
  };
  child.stdout.on('data', told);
  child.stderr.on('data', told);
  const [code] = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (...end) => resolve(end));
  });
  if (code !== 0) throw new Error(`the new \`fake-istiod serve\` ended with ${code}\n${said}`);
}
