import { access, constants, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import type { Bootstrap } from './bootstrap.ts';
import { containerRuntime } from './container.ts';
import type { EnvoyBinary } from './envoy-binary.ts';
import { findEnvoy } from './find.ts';
import { isJsonObject } from './json.ts';
import { makeFolder } from './make-folder.ts';
import { binaryRuntime } from './runtime.ts';
import type { EnvoyRuntime } from './runtime.ts';
import { makeWorkDir } from './work-dir.ts';

export interface PrepareRunOptions {
  /** The bootstrap as an object, or the path of a file in any form that Envoy reads. */
  readonly bootstrap: Bootstrap | string;
  /** An Envoy, or what {@link findEnvoy} is to look for. */
  readonly envoy?: EnvoyBinary | string;
  /** Where the files of the run go; default: a temporary directory that is removed afterwards. */
  readonly dir?: string;
  /** Where an Envoy that is a child process runs, from which relative names in its bootstrap count; default: this process's own. */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly onProgress?: (text: string) => void;
}

/** All that one run of Envoy needs, made ready. */
export interface PreparedRun {
  readonly envoy: EnvoyBinary;
  readonly runtime: EnvoyRuntime;
  readonly env: NodeJS.ProcessEnv;
  /** `node.id`, where the bootstrap was given as an object and has one. */
  readonly nodeId: string | undefined;
  /** Removes what was made. */
  dispose(): Promise<void>;
}

/** Finds the Envoy, writes the bootstrap, prepares the child process or container. */
export async function prepareRun(options: PrepareRunOptions, args: readonly string[]): Promise<PreparedRun> {
  const env = options.env ?? process.env;
  const object = typeof options.bootstrap === 'string' ? undefined : options.bootstrap;
  if (typeof options.bootstrap === 'string') await checkReadable(options.bootstrap);
  const envoy = typeof options.envoy === 'object' ? options.envoy : await findEnvoy(searchOf(options, env));
  const own = options.dir === undefined ? makeWorkDir('envoy') : undefined;
  const dir = own?.path ?? options.dir ?? '';
  try {
    await makeFolder(dir);
    const file = typeof options.bootstrap === 'string' ? options.bootstrap : await writeBootstrap(dir, options.bootstrap);
    const request = { file, bootstrap: object, dir, args, env };
    const runtime = envoy.kind === 'docker' ? await containerRuntime({ ...request, envoy }) : binaryRuntime({ ...request, envoy });
    const dispose = async (): Promise<void> => {
      await runtime.dispose();
      await own?.remove();
    };
    return { envoy, runtime, env, nodeId: nodeIdOf(object), dispose };
  } catch (error) {
    await own?.remove();
    throw error;
  }
}

function searchOf({ envoy, onProgress }: PrepareRunOptions, env: NodeJS.ProcessEnv): Parameters<typeof findEnvoy>[0] {
  return { env, ...(typeof envoy === 'string' ? { wanted: envoy } : {}), ...(onProgress ? { onProgress } : {}) };
}

async function checkReadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (cause) {
    throw new FakeIstiodError('input.unreadable', `the bootstrap ${file} cannot be read`, { cause, remedy: 'Give the path of a file' });
  }
}

async function writeBootstrap(dir: string, bootstrap: Bootstrap): Promise<string> {
  const file = join(dir, 'bootstrap.json');
  try {
    await writeFile(file, `${JSON.stringify(bootstrap, undefined, 2)}\n`);
  } catch (cause) {
    throw new FakeIstiodError('output.unwritable', `${file} cannot be written`, { cause, remedy: 'Give a directory that can' });
  }
  return file;
}

function nodeIdOf(bootstrap: Bootstrap | undefined): string | undefined {
  const node = bootstrap?.['node'];
  const id = isJsonObject(node) ? node['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
