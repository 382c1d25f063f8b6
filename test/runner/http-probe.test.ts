import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpSubject } from '../../src/observe/sample.ts';
import { freePort } from '../free-port.ts';
import { probeHttp } from '../../src/runner/http-probe.ts';

const subject: HttpSubject = { kind: 'http', listener: 'l1', path: '/x?y=1', headers: { 'x-a': 'b' } };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function server(host: string): Promise<number> {
  const http = createServer((request, response) =>
    response.writeHead(201).end(`${request.method} ${request.url} ${String(request.headers['x-a'])}`),
  );
  closing.push(() => http.close());
  await new Promise<void>((resolve) => http.listen(0, host, resolve));
  return (http.address() as AddressInfo).port;
}

describe('the HTTP request of an expectation', () => {
  it.each(['127.0.0.1', '0.0.0.0'])('goes to the port that the listener is bound to on %s', async (host) => {
    const port = await server('127.0.0.1');
    expect(await probeHttp(subject, new Map([['l1', { host, port }]]))).toEqual({ kind: 'answered', status: 201, body: 'GET /x?y=1 b' });
  });

  it('is refused where nobody listens', async () => {
    expect(await probeHttp(subject, new Map([['l1', { host: '127.0.0.1', port: await freePort() }]]))).toEqual({ kind: 'refused' });
  });

  it('fails where there is no such listener, and names those that there are', async () => {
    expect(await probeHttp(subject, new Map([['l2', { host: '127.0.0.1', port: 1 }]]))).toEqual({
      kind: 'failed',
      reason: 'Envoy has no listener l1, only l2',
    });
  });
});
