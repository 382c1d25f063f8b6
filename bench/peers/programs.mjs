// The programs of the comparison: built once, started each on a core of its own.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fake-istiod');

function sources() {
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((file) => /\.go$|^go\.(mod|sum)$/.test(file));
  return files.sort().map((file) => [file, readFileSync(join(here, file))]);
}

/** Builds the Go programs unless they were built from these very sources; the folder they are in. */
export function built() {
  const hash = createHash('sha256');
  for (const [file, bytes] of sources()) hash.update(file).update(bytes);
  const folder = join(cache, `bench-peers-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  process.stderr.write('bench: building the programs in Go …\n');
  mkdirSync(cache, { recursive: true });
  const fresh = `${folder}.${process.pid}`;
  const { status, error } = spawnSync('go', ['build', '-buildvcs=false', '-ldflags=-s -w', '-o', `${fresh}/`, './...'], {
    cwd: here,
    stdio: ['ignore', 2, 2],
  });
  if (error || status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(error ? `cannot run \`go\`: ${error.message}. Install Go 1.24 or newer` : "Go's own words stand above");
  }
  renameSync(fresh, folder);
  return folder;
}

const canPin = spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;
/** Whether server and clients have a core each. */
export const pinned = canPin;

/** A command on one core, where that can be had. */
export function onCore(core, command) {
  return canPin ? ['taskset', '-c', String(core), ...command] : command;
}

/** How to start each: ours, grpc-js alone (bare), go-control-plane (snapshot, linear). */
function commandOf(who, { folder, library }) {
  if (who === 'ours') return [process.execPath, join(here, 'fake-istiod.mjs'), library];
  return who === 'bare' ? [process.execPath, join(here, 'bare.mjs')] : [join(folder, 'server'), '-cache', who];
}

/** Starts a server: `{ plain, secure, control }` and `stop`. */
export async function startServer(who, programs) {
  const [program, ...args] = onCore(0, commandOf(who, programs));
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const line = await Promise.race([
    new Promise((resolve) => child.stdout.once('data', (data) => resolve(String(data)))),
    ended.then((code) => Promise.reject(new Error(`the server "${who}" ended with ${code}`))),
  ]);
  return {
    ...JSON.parse(line),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Lets the clients do their work on a server of its own; what they saw. */
export async function measure(who, work, programs) {
  const server = await startServer(who, programs);
  try {
    const told = { ...work, target: work.tls ? server.secure : server.plain, control: server.control };
    const [program, ...args] = onCore(1, [join(programs.folder, 'load'), JSON.stringify(told)]);
    return await new Promise((resolve, reject) => {
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      let out = '';
      let said = '';
      child.stdout.on('data', (data) => (out += data));
      child.stderr.on('data', (data) => (said += data));
      child.on('error', reject);
      child.on('close', (code) =>
        code === 0 ? resolve(JSON.parse(out)) : reject(new Error(`${who}, ${JSON.stringify(work)}: ${said.trim()}`)),
      );
    });
  } finally {
    await server.stop();
  }
}
