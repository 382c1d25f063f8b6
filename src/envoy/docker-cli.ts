import { FakeIstiodError } from '../errors.ts';
import { defaultEnvoyVersion, parseEnvoyVersion } from './envoy-binary.ts';
import type { EnvoyBinary } from './envoy-binary.ts';
import { failureText, runCommand } from './run-command.ts';
import type { CommandResult, RunCommandOptions } from './run-command.ts';

/** Runs the docker client; never rejects. */
export function docker(args: readonly string[], options: RunCommandOptions = {}): Promise<CommandResult> {
  return runCommand('docker', args, options);
}

/** Like {@link docker}, but anything but exit code 0 is the error `envoy.start-failed`. Gives stdout, trimmed. */
export async function dockerOk(args: readonly string[], options: RunCommandOptions = {}): Promise<string> {
  const result = await docker(args, options);
  if (result.code === 0) return result.stdout.trim();
  throw new FakeIstiodError('envoy.start-failed', `docker ${args[0] ?? ''} failed: ${failureText(result)}`, {
    remedy: 'Mend what Docker complains of, or name an Envoy by its path or version, which needs no Docker',
  });
}

/** Why no Docker daemon can be used, or `undefined` if one answers. */
export async function dockerTrouble(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const result = await docker(['version', '--format', '{{.Server.Version}}'], { env, timeoutMs: 5_000 });
  return result.code === 0 ? undefined : failureText(result);
}

export interface DockerEnvoyOptions {
  readonly env: NodeJS.ProcessEnv;
  /** `docker`, `docker:IMAGE`, or undefined. */
  readonly image?: string | undefined;
  readonly version?: string | undefined;
  /** Whether an image that is not there may be pulled. */
  readonly pull: boolean;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/**
 * Envoy as a Docker image: the one named, else the official one of `version` (default 1.40.0). Errors: `docker.unavailable`
 * where no daemon answers, `envoy.not-found` where the image is neither there nor to be had.
 */
export async function dockerEnvoy(options: DockerEnvoyOptions): Promise<EnvoyBinary> {
  const { env, version = defaultEnvoyVersion, image = `envoyproxy/envoy:v${version}`, pull, onProgress } = options;
  const trouble = await dockerTrouble(env);
  if (trouble !== undefined) {
    throw new FakeIstiodError('docker.unavailable', `no Docker daemon answers: ${trouble}`, {
      remedy: 'Start Docker, or name an Envoy by its path or version',
    });
  }
  const present = await docker(['image', 'inspect', '--format', '{{.Id}}', image], { env });
  if (present.code !== 0) {
    if (!pull) throw notThere(image, 'it is not on this machine');
    onProgress?.(`pulling ${image}`);
    const pulled = await docker(['pull', '--quiet', image], { env, timeoutMs: 300_000, guarded: true });
    if (pulled.code !== 0) throw notThere(image, failureText(pulled));
  }
  return { kind: 'docker', image, version: await imageVersion(image, env), source: 'docker' };
}

function notThere(image: string, why: string): FakeIstiodError {
  return new FakeIstiodError('envoy.not-found', `Docker image ${image} is not to be had: ${why}`, {
    remedy: `Try \`docker pull ${image}\`, or name an Envoy by its path or version`,
  });
}

async function imageVersion(image: string, env: NodeJS.ProcessEnv): Promise<string> {
  const result = await docker(['run', '--rm', '--network', 'none', '--entrypoint', 'envoy', image, '--version'], {
    env,
    timeoutMs: 30_000,
  });
  const version = parseEnvoyVersion(result.stdout);
  if (version !== undefined) return version;
  throw new FakeIstiodError('envoy.start-failed', `Docker image ${image} holds no Envoy that runs: ${failureText(result)}`, {
    remedy: 'Name an image that has an `envoy` on its PATH, e.g. `docker:envoyproxy/envoy:v1.40.0`',
  });
}
