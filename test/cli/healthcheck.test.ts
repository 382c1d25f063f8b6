import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cli } from './fake-terminal.ts';
import { freePort } from '../free-port.ts';

/** The port of a server that answers so; closed after the test. */
async function serverOf(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

describe('healthcheck', () => {
  it('asks /health of the URL given, and ends with 0', async () => {
    const asked: string[] = [];
    const port = await serverOf(({ method, url }, response) => (asked.push(`${method} ${url}`), response.end('{}')));
    expect(await cli(['healthcheck', `http://127.0.0.1:${port}`])).toEqual({ code: 0, stdout: 'alive\n', stderr: '' });
    expect(asked).toEqual(['GET /health']);
  });

  it('finds the control API by the environment', async () => {
    const port = await serverOf((_, response) => response.end('{}'));
    expect(await cli(['healthcheck'], { env: { FAKE_ISTIOD_CONTROL_PORT: String(port) } })).toMatchObject({ code: 0 });
    const env = { FAKE_ISTIOD_CONTROL: `http://127.0.0.1:${port}`, FAKE_ISTIOD_CONTROL_PORT: '1' };
    expect(await cli(['healthcheck'], { env })).toMatchObject({ code: 0 });
  });

  it.each([
    [
      'nobody listens',
      async () => `http://127.0.0.1:${await freePort()}`,
      /is not alive: nobody listens there\. Does fake-istiod run there/,
    ],
    [
      'the answer is another',
      async () => `http://127.0.0.1:${await serverOf((_, r) => r.writeHead(500).end())}`,
      /is not alive: it answered 500/,
    ],
    ['no answer comes', async () => `http://127.0.0.1:${await serverOf(() => undefined)}`, /is not alive: no answer within 0\.2 s/],
  ])('ends with 3 and one line where %s', async (_, url, line) => {
    const { code, stdout, stderr } = await cli(['healthcheck', '--timeout', '200ms', await url()]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(line);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each(['15080', 'https://127.0.0.1:1', 'unix:/x'])('is told where %s is no URL of a control API', async (url) => {
    expect(await cli(['healthcheck', url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not the URL of a control API') as string,
    });
  });
});
