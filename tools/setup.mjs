// Makes a fresh clone usable: installs what package-lock.json asks for, builds dist/. Does nothing, fast, when nothing is to do.
// Plain Node without dependencies, because it runs before there are any.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOfInputs, stampFile } from './build-inputs.mjs';
import { isInstalled } from './installed.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function stop(message, code = 3) {
  process.stderr.write(`setup: ${message}\n`);
  process.exit(code);
}

function run(what, command, args) {
  const began = performance.now();
  process.stderr.write(`setup: ${what} …\n`);
  const { status, error, signal } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) stop(`cannot run \`${command}\`: ${error.message}`);
  if (status !== 0) stop(`\`${command} ${args.join(' ')}\` failed${signal ? ` (${signal})` : ''}; its own words stand above`);
  process.stderr.write(`setup: ${what}: done in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) stop(`Node ${process.versions.node} is too old; fake-istiod needs Node 20.19 or newer`);

if (!isInstalled(root))
  run('installing the packages of package-lock.json', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']);

const isBuilt = existsSync(stampFile(root)) && readFileSync(stampFile(root), 'utf8') === hashOfInputs(root);
if (!isBuilt) run('building dist/', process.execPath, [join(root, 'tools/build.mjs')]);
