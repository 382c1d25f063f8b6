import { randomUUID } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import type { Bootstrap } from './bootstrap.ts';
import { docker, dockerOk } from './docker-cli.ts';
import type { EnvoyBinary } from './envoy-binary.ts';
import { isJsonObject } from './json.ts';
import type { Json } from './json.ts';
import { guardLeftover, shellCommand } from './leftovers.ts';
import { makeFolder } from './make-folder.ts';
import { signalGroup } from './process-group.ts';
import { adminUrlOf } from './runtime.ts';
import type { EnvoyRuntime, RuntimeRequest } from './runtime.ts';
import { rewriteXdsAddress, xdsAddress } from './xds-address.ts';

/** The label on every container of ours, for those who must clean up after a crash. */
export const containerLabel = 'fake-istiod=envoy';

/** Our files inside the container; made by `docker cp`, since bind mounts need a daemon on this very machine. */
const insideDir = '/fake-istiod';
/** The admin port inside a container whose network is its own. */
const insideAdminPort = 9901;

/**
 * Envoy in a container. On Linux it shares this machine's network, so that `localhost` means the same inside and outside. Elsewhere
 * containers live in a virtual machine: the admin port is published, and a control plane on loopback is reached by
 * `host.docker.internal`; listeners of such an Envoy are reachable from other containers only.
 */
export async function containerRuntime(
  request: RuntimeRequest<EnvoyBinary & { kind: 'docker' }>,
  platform: NodeJS.Platform = process.platform,
): Promise<EnvoyRuntime> {
  const { envoy, dir, args, env } = request;
  const name = `fake-istiod-envoy-${randomUUID().slice(0, 8)}`;
  const shared = platform === 'linux';
  const network = shared
    ? ['--network', 'host']
    : ['-p', `127.0.0.1::${insideAdminPort}`, '--add-host', 'host.docker.internal:host-gateway'];
  const file = await fillCopyDir(join(dir, 'container'), request, shared);
  const own = ['-c', `${insideDir}/${file}`, '--admin-address-path', `${insideDir}/admin-address`];
  const mounts = watchedMounts(request.bootstrap);
  const create = ['create', '--name', name, '--label', containerLabel, ...network, ...mounts, '--entrypoint', 'envoy', envoy.image];
  // Not `--rm`: its removal goes on after the end of the client, and a container that never started would stay.
  const remove = ['rm', '-f', name];
  const clear = (): void => void spawnSync('docker', remove, { env, stdio: 'ignore' });
  const guard = guardLeftover({ shell: `${shellCommand('docker', ...remove)} >/dev/null 2>&1`, clear });
  const dispose = async (): Promise<void> => {
    await docker(remove, { env });
    await guard.release();
  };
  try {
    await dockerOk([...create, ...own, ...args], { env, timeoutMs: 60_000 });
    await dockerOk(['cp', join(dir, 'container'), `${name}:${insideDir}`], { env });
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    command: 'docker',
    args: ['start', '--attach', name],
    adminUrl: () => (shared ? writtenAddress(name, dir, env) : publishedAddress(name, env)),
    // The client hands SIGTERM on to the container.
    terminate: (pid) => signalGroup(pid, 'SIGTERM'),
    kill: clear,
    dispose,
  };
}

/**
 * Folders that the bootstrap has Envoy watch are seen inside, too: what changes there after the start cannot be copied. Only its owner may
 * look into such a folder, so Envoy runs as the same user.
 */
function watchedMounts(bootstrap: Bootstrap | undefined): readonly string[] {
  const folders = [...new Set(watchedFolders(bootstrap ?? {}))];
  if (folders.length === 0) return [];
  const user = process.getuid && process.getgid ? ['--user', `${process.getuid()}:${process.getgid()}`] : [];
  return [...folders.flatMap((folder) => ['-v', `${folder}:${folder}:ro`]), ...user];
}

function watchedFolders(value: Json): readonly string[] {
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(watchedFolders);
  if (!isJsonObject(value)) return [];
  const path = isJsonObject(value['watched_directory']) ? value['watched_directory']['path'] : undefined;
  return [...(typeof path === 'string' ? [path] : []), ...Object.values(value).flatMap(watchedFolders)];
}

/** Lays out what is copied into the container; gives the bootstrap's file name there. */
async function fillCopyDir(into: string, request: RuntimeRequest, shared: boolean): Promise<string> {
  await makeFolder(into);
  // Envoy may run as any user inside, and writes its admin address here.
  await chmod(into, 0o777);
  const name = shared ? `bootstrap${extname(request.file)}` : 'bootstrap.json';
  const goal = join(into, name);
  if (shared) await copyFile(request.file, goal);
  else await writeFile(goal, JSON.stringify(forOwnNetwork(request.bootstrap ?? (await readJson(request.file))), undefined, 2));
  await chmod(goal, 0o644);
  return name;
}

async function readJson(file: string): Promise<Bootstrap> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (isJsonObject(value)) return value;
  } catch {
    // falls through to the one error
  }
  throw new FakeIstiodError('bootstrap.invalid', `${file} is no JSON object`, {
    remedy: 'Where Docker runs in a virtual machine its addresses must be rewritten, so give the bootstrap as JSON',
  });
}

/** The bootstrap for a container with a network of its own: admin on all its addresses, loopback replaced by the host's name. */
function forOwnNetwork(bootstrap: Bootstrap): Bootstrap {
  const xds = xdsAddress(bootstrap);
  const loopback = xds !== undefined && ['localhost', '127.0.0.1', '::1'].includes(xds.host);
  const moved = loopback ? rewriteXdsAddress(bootstrap, { host: 'host.docker.internal', port: xds.port }) : bootstrap;
  return { ...moved, admin: { address: { socket_address: { address: '0.0.0.0', port_value: insideAdminPort } } } };
}

async function writtenAddress(name: string, dir: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const copy = join(dir, 'admin-address');
  const result = await docker(['cp', `${name}:${insideDir}/admin-address`, copy], { env });
  return result.code === 0 ? adminUrlOf(await readFile(copy, 'utf8')) : undefined;
}

async function publishedAddress(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const result = await docker(['port', name, `${insideAdminPort}/tcp`], { env });
  return result.code === 0 ? adminUrlOf(result.stdout.trim().split('\n')[0] ?? '') : undefined;
}
