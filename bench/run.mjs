// `npm run bench`: how fast, as ratios taken side by side in one run; exit 1 if one is over its limit. `--short` takes fewer rounds.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { overheadRows } from './run-overhead.mjs';
import { startRows } from './start.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const short = process.argv.includes('--short');

function cli(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/bin/fake-istiod.js'), ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`\`fake-istiod ${args.join(' ')}\` ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

cli('envoy', 'install');
const envoy = JSON.parse(cli('envoy', 'which', '--json')).used.path;
const rows = [...(await startRows({ root, rounds: short ? 5 : 21 })), ...(await overheadRows({ root, envoy, rounds: short ? 3 : 11 }))];

process.stdout.write('| what | against | figure | at most | here, ms |\n|---|---|---|---|---|\n');
for (const { what, against, figure, limit, ok, ms } of rows) {
  process.stdout.write(`| ${what} | ${against} | ${figure}${ok ? '' : ' **over**'} | ${limit} | ${ms.toFixed(0)} |\n`);
}
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
