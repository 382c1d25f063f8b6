import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.ts';

/** What a stubbed admin API answers: by path, a body (code 200), or code and body; `undefined` = never. */
export type StubAnswer = string | { readonly code: number; readonly body: string } | undefined;

export interface StubAdmin {
  readonly url: string;
  /** Requests as `GET /path?query`, oldest first. */
  readonly requests: readonly string[];
}

/** A clock on which every wait is over at once: the waited-for time is simply added. */
export function hurriedClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    date: () => new Date(now),
    after(delayMs, task) {
      now += delayMs;
      const pending = setImmediate(task);
      return () => clearImmediate(pending);
    },
  };
}

/** An HTTP server on a free port of loopback that answers as told; closed after the test. */
export async function stubAdmin(
  answer: (path: string, nth: number) => StubAnswer,
  listen: { socketPath?: string } = {},
): Promise<StubAdmin> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const given = answer(request.url ?? '', requests.length);
    if (given === undefined) return;
    const { code, body } = typeof given === 'string' ? { code: 200, body: given } : given;
    response.writeHead(code).end(body);
  });
  const { socketPath } = listen;
  await new Promise<void>((resolve) =>
    socketPath === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(socketPath, resolve),
  );
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = socketPath === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : `unix:${socketPath}`;
  return { url, requests };
}
