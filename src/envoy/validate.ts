import { normaliseSpace, reasonsToExit } from './envoy-log.ts';
import { prepareRun } from './prepared-run.ts';
import type { PrepareRunOptions } from './prepared-run.ts';
import { failureText, runCommand } from './run-command.ts';

export interface ValidateOptions extends PrepareRunOptions {
  /** More arguments for Envoy, e.g. pilot-agent's `--allow-unknown-static-fields`. */
  readonly args?: readonly string[];
}

/** What Envoy says of a bootstrap. */
export interface Validation {
  readonly ok: boolean;
  /** `undefined` if Envoy had to be killed. */
  readonly exitCode: number | undefined;
  /** All that Envoy printed, a line each, white space normalised. */
  readonly output: readonly string[];
  /** Why it refuses; empty if it does not. */
  readonly reasons: readonly string[];
}

/**
 * Lets Envoy judge a bootstrap without running it (`--mode validate`). A refusal is a result, not an error; errors are those of
 * {@link findEnvoy} and `input.unreadable`.
 */
export async function validateBootstrap(options: ValidateOptions): Promise<Validation> {
  const run = await prepareRun(options, ['--mode', 'validate', ...(options.args ?? [])]);
  try {
    const { command, args } = run.runtime;
    const result = await runCommand(command, args, { env: run.env, timeoutMs: 60_000, guarded: true });
    // The log goes to stderr; the one line on stdout, `configuration '…' OK`, is Envoy's last word.
    const lines = `${result.stderr}\n${result.stdout}`.split('\n').filter((line) => line.trim() !== '');
    const ok = result.code === 0;
    const reasons = ok ? [] : result.failure === undefined ? reasonsToExit(lines) : [failureText(result)];
    return { ok, exitCode: result.code, output: lines.map(normaliseSpace), reasons };
  } finally {
    await run.dispose();
  }
}
