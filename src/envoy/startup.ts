import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { adminClient } from './admin-client.ts';
import type { AdminClient } from './admin-client.ts';
import { pause } from './pause.ts';
import type { EnvoyRuntime } from './runtime.ts';

/** What became of a start. */
export type EnvoyStartup =
  /** The admin API answers; Envoy may be in any state. */
  | { readonly kind: 'started'; readonly admin: AdminClient; readonly nodeId: string }
  /** Envoy ended before that: on a node of Kubernetes, a CrashLoop. The error is `envoy.exited`. */
  | { readonly kind: 'exited'; readonly error: FakeIstiodError }
  /** Envoy runs, but its admin API stays shut. The error is `envoy.start-failed`. */
  | { readonly kind: 'timed-out'; readonly error: FakeIstiodError };

export interface StartupOptions {
  readonly runtime: EnvoyRuntime;
  /** Aborted with `envoy.exited` when Envoy ends. */
  readonly ended: AbortSignal;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

const firstPauseMs = 4;
const longestPauseMs = 50;

/**
 * Waits for the admin API. That its address is written is not enough: an Envoy with a bootstrap that it cannot use still writes
 * it, then exits; it answers only once it runs.
 */
export async function awaitStartup({ runtime, ended, clock, timeoutMs }: StartupOptions): Promise<EnvoyStartup> {
  const start = clock.now();
  let client: AdminClient | undefined;
  let failure: unknown;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.3, longestPauseMs)) {
    try {
      client ??= await clientOf(runtime, ended, clock);
      if (client) return { kind: 'started', admin: client, nodeId: (await client.serverInfo()).nodeId };
    } catch (error) {
      failure = error;
    }
    if (ended.aborted) return { kind: 'exited', error: FakeIstiodError.from(ended.reason) };
    if (clock.now() - start >= timeoutMs) return { kind: 'timed-out', error: timedOut(timeoutMs, client, failure) };
    await pause(clock, pauseMs, ended);
  }
}

async function clientOf(runtime: EnvoyRuntime, ended: AbortSignal, clock: Clock): Promise<AdminClient | undefined> {
  const url = await runtime.adminUrl();
  return url === undefined ? undefined : adminClient(url, { ended, clock });
}

function timedOut(timeoutMs: number, client: AdminClient | undefined, failure: unknown): FakeIstiodError {
  const why = client ? FakeIstiodError.from(failure).message : 'it has not told the address of one';
  return new FakeIstiodError('envoy.start-failed', `Envoy runs, but its admin API did not open within ${timeoutMs / 1000} s: ${why}`, {
    remedy: 'Has the bootstrap an admin address?',
    cause: failure,
  });
}
