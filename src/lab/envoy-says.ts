import { basename } from 'node:path';
import type { EnvoyBinary } from '../envoy/index.ts';
import { validateBootstrap } from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';

/** What Envoy says of a bootstrap, as the lab's files have it. */
export interface EnvoySays {
  readonly ok: boolean;
  /** All that Envoy printed, then `rc=` and its exit code. */
  readonly text: string;
  readonly code: number;
  /** Its words in one line. */
  readonly reason: string;
}

/** `envoy --mode validate` of a file. Errors of `validateBootstrap`; `envoy.start-failed` where Envoy did not come to an end by itself. */
export async function envoySays(envoy: EnvoyBinary, file: string, env: NodeJS.ProcessEnv): Promise<EnvoySays> {
  const { ok, exitCode, output, reasons } = await validateBootstrap({ envoy, bootstrap: file, env });
  if (exitCode === undefined) {
    throw new FakeIstiodError('envoy.start-failed', `Envoy had to be ended while it validated ${file}: ${reasons.join(' | ')}`);
  }
  // The way to the file is of this machine, or of a container.
  const lines = output.map((line) =>
    line.replaceAll(file, basename(file)).replace(/(configuration) '[^']*' OK$/, `$1 '${basename(file)}' OK`),
  );
  const reason = (reasons.at(-1) ?? '').replace(/^error initializing configuration '[^']*': /, '').replaceAll(file, basename(file));
  return { ok, text: [...lines, `rc=${exitCode}`, ''].join('\n'), code: exitCode, reason };
}
