import { getContainerRuntimeClient, type BoundPorts, type WaitStrategy } from 'testcontainers';
import { systemClock } from '../clock.ts';
import { adminClient, serverStates, type AdminClient, type ServerState } from '../envoy/index.ts';
import { pause } from '../envoy/pause.ts';
import { FakeIstiodError } from '../errors.ts';
import { durationMs, durationText } from '../script/duration.ts';
import { wordRemedy } from '../script/nearest.ts';
import type { Container } from './ended-container.ts';
import { envoyAdminPort } from './image.ts';

export interface StateWaitOptions {
  /** The admin port inside the container. Default 9901, as `EnvoyContainer` has it. */
  readonly adminPort?: number;
}

const defaultTimeoutMs = 60_000;
const aliveEveryMs = 200;

/** Waits for something that Envoy's admin API tells; ends at once when the container does. */
export class AdminWait implements WaitStrategy {
  private timeoutMs: number | undefined;
  private readonly adminPort: number;
  private readonly wait: (admin: AdminClient, timeoutMs: number, ended: AbortSignal) => Promise<void>;

  constructor(wait: AdminWait['wait'], { adminPort = envoyAdminPort }: StateWaitOptions = {}) {
    this.wait = wait;
    this.adminPort = adminPort;
  }

  async waitUntilReady(container: Container, boundPorts: BoundPorts): Promise<void> {
    const { info } = await getContainerRuntimeClient();
    const ended = new AbortController();
    const admin = adminClient(`http://${hostInUrl(info.containerRuntime.host)}:${boundPorts.getBinding(this.adminPort)}`, {
      ended: ended.signal,
    });
    const over = new AbortController();
    void endWith(container, ended, over.signal);
    try {
      await this.wait(admin, this.getStartupTimeout(), ended.signal);
    } finally {
      over.abort();
    }
  }

  withStartupTimeout(startupTimeoutMs: number): this {
    this.timeoutMs = startupTimeoutMs;
    return this;
  }

  isStartupTimeoutSet(): boolean {
    return this.timeoutMs !== undefined;
  }

  getStartupTimeout(): number {
    return this.timeoutMs ?? defaultTimeoutMs;
  }
}

/** An IPv6 address as it stands in a URL. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Aborts `ended` once the container does not run any more. */
async function endWith(container: Container, ended: AbortController, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const state = await container.inspect().then(
      ({ State }) => State,
      () => undefined,
    );
    if (over.aborted) return;
    if (!state?.Running) {
      const how = state ? `exited with code ${state.ExitCode}` : 'is gone';
      return ended.abort(new FakeIstiodError('envoy.exited', `Envoy's container ${how}`));
    }
    await pause(systemClock, aliveEveryMs, over);
  }
}

/** Waits until Envoy's admin API answers, whatever the state: what `EnvoyContainer` does unless told otherwise. */
export function forAdmin(options?: StateWaitOptions): WaitStrategy {
  return new AdminWait(async (admin, timeoutMs, ended) => {
    await firstAnswer(admin, timeoutMs, ended);
  }, options);
}

/** Waits until Envoy is in a server state. Source: `/server_info` of Envoy's admin API. */
export function forServerState(state: ServerState, options?: StateWaitOptions): WaitStrategy {
  checkState('forServerState', state);
  return new AdminWait((admin, timeoutMs, ended) => admin.awaitState(state, { timeoutMs, ended }), options);
}

/**
 * Waits until Envoy is in a server state and stays in it for a time: `forStuckIn('PRE_INITIALIZING', '5s')`. Fails at once if it goes on.
 * `time` is a duration as in scenario files, or milliseconds.
 */
export function forStuckIn(state: ServerState, time: string | number, options?: StateWaitOptions): WaitStrategy {
  checkState('forStuckIn', state);
  const forMs = stuckMs(time);
  return new AdminWait(async (admin, timeoutMs, ended) => {
    await firstAnswer(admin, timeoutMs, ended);
    const before = await admin.state();
    // What comes before the state is waited for; what comes after it never leads back.
    if (serverStates.indexOf(before) < serverStates.indexOf(state)) await admin.awaitState(state, { timeoutMs, ended });
    const sinceMs = systemClock.now();
    for (;;) {
      const found = await admin.state();
      const lastedMs = systemClock.now() - sinceMs;
      if (found !== state) throw wentOn(state, found, lastedMs, forMs);
      if (lastedMs >= forMs) return;
      await pause(systemClock, Math.min(50, forMs - lastedMs), ended);
      ended.throwIfAborted();
    }
  }, options);
}

function wentOn(state: ServerState, found: ServerState, lastedMs: number, forMs: number): FakeIstiodError {
  const when = lastedMs < 5 ? 'it was' : `after ${durationText(Math.round(lastedMs))} it was`;
  return new FakeIstiodError('wait.timed-out', `Envoy was not stuck in ${state} for ${durationText(forMs)}: ${when} ${found}`);
}

/** The first answer of the admin API; until then a container may be on its way. */
async function firstAnswer(admin: AdminClient, timeoutMs: number, ended: AbortSignal): Promise<ServerState> {
  const startedMs = systemClock.now();
  for (;;) {
    try {
      return await admin.state();
    } catch (error) {
      ended.throwIfAborted();
      if (systemClock.now() - startedMs >= timeoutMs) throw error;
      await pause(systemClock, 50, ended);
    }
  }
}

function checkState(strategy: string, state: unknown): void {
  if (serverStates.some((name) => name === state)) return;
  throw new FakeIstiodError('options.invalid', `${strategy} was asked for ${JSON.stringify(state)}, which is no server state`, {
    remedy: wordRemedy(String(state), serverStates),
  });
}

function stuckMs(time: unknown): number {
  const ms = typeof time === 'string' ? durationMs(time) : time;
  if (typeof ms === 'number' && ms >= 0) return ms;
  throw new FakeIstiodError('options.invalid', `forStuckIn was given ${JSON.stringify(time)}, which is no duration`, {
    remedy: "Give one such as '5s', '500ms', or milliseconds",
  });
}
