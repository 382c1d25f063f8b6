import { request } from 'node:http';
import { systemClock, type Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';

/** As of `pilot-agent wait`. */
export interface WaitReadyOptions {
  /** Default `http://localhost:15021/healthz/ready`. */
  readonly url?: string;
  /** Of all; default 60 s. */
  readonly timeoutMs?: number;
  /** Of one request; default 500 ms. */
  readonly requestTimeoutMs?: number;
  /** Between two requests, and before the first; default 500 ms. */
  readonly periodMs?: number;
  /** Told why it is not ready yet. */
  readonly onNotReady?: (why: string) => void;
  readonly clock?: Clock;
}

/** Waits until a pod answers that it is ready: what an application that needs its sidecar does first. Error `wait.timed-out` has the last reason. */
export async function waitUntilReady(options: WaitReadyOptions = {}): Promise<void> {
  const { url = 'http://localhost:15021/healthz/ready', timeoutMs = 60_000, requestTimeoutMs = 500, periodMs = 500 } = options;
  const clock = options.clock ?? systemClock;
  const start = clock.now();
  let last = 'it was not asked yet';
  for (;;) {
    const leftMs = timeoutMs - (clock.now() - start);
    if (leftMs <= 0) break;
    await new Promise<void>((resolve) => clock.after(Math.min(periodMs, leftMs), resolve));
    const why = await askOnce(url, requestTimeoutMs);
    if (why === undefined) return;
    last = why;
    options.onNotReady?.(why);
  }
  throw new FakeIstiodError(
    'wait.timed-out',
    `timeout waiting for Envoy proxy to become ready within ${timeoutMs / 1000} s. Last error: ${last}`,
    {
      remedy: 'The reason stands in the log of the agent, after `Envoy proxy is NOT ready:`',
    },
  );
}

function askOnce(url: string, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const sent = request(url, { agent: false, timeout: timeoutMs }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 200 ? undefined : `HTTP status code ${response.statusCode}`));
      response.on('error', (error) => resolve(error.message));
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.message || (error.code ?? 'no answer'))).end();
  });
}
