import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { RawClient } from './raw-client.ts';
import { clusterType } from './recorded-streams.ts';
import { afterwards, named, served, type Served } from './served.ts';

/** Sends `bytes` on a fresh connection and waits until the server closes it. */
async function sendAndWait(port: number, bytes: Buffer | string): Promise<void> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  afterwards(() => socket.destroy());
  socket.resume().write(bytes);
  await once(socket, 'close');
}

/** The server still serves. */
async function expectToServe({ streams, connect: client }: Served): Promise<void> {
  for (const over of ['plaintext', 'TLS'] as const) {
    (await client(over)).stream('delta').send({ typeUrl: clusterType });
    expect(await (await streams.opened.next()).requests.next()).toMatchObject({ typeUrl: clusterType });
  }
}

describe('garbage on the port does no harm', () => {
  it.each([
    ['an HTTP/1 request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['bytes that are nothing', Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 256 || 1))],
    ['a TLS record that is no handshake', Buffer.concat([Buffer.from([0x16, 3, 1, 0x40, 0]), Buffer.alloc(16_500, 0xaa)])],
    ['a good preface, then nonsense', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'x'.repeat(500)}`],
  ])('%s', async (_what, bytes) => {
    const running = await served();
    await sendAndWait(running.server.port, bytes);
    await expectToServe(running);
  });

  it('an HTTP/1 client gets an error, not a silence', async () => {
    const { server } = await served();
    const request = get(`http://127.0.0.1:${server.port}/`);
    const [error] = (await once(request, 'error')) as [Error];
    expect(error.message).toMatch(/Parse Error|socket hang up|ECONNRESET/);
  });

  it('connections that are opened and closed without a byte', async () => {
    const running = await served();
    for (let round = 0; round < 20; round += 1) {
      const socket = connect(running.server.port, '127.0.0.1');
      await once(socket, 'connect');
      if (round % 2) socket.resetAndDestroy();
      else socket.end();
      await once(socket.resume(), 'close');
    }
    await expectToServe(running);
    expect(running.events.all.filter(named('connection.accepted'))).toHaveLength(2);
  });
});

describe('a connection that speaks the wrong thing', () => {
  it('is cut when plaintext comes where TLS is wanted, and the reason told', async () => {
    const { server, events } = await served({ tls: 'on' });
    await sendAndWait(server.port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(await events.next(named('handshake.failed'))).toMatchObject({
      peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      reason: 'the client speaks plaintext, this port TLS',
    });
    const client = await RawClient.connect(`https://127.0.0.1:${server.port}`, { ca: await server.rootCertificatePem() });
    client.close();
  });

  it.each(['port', 'plaintextPort'] as const)('is cut when TLS comes where plaintext is wanted (%s)', async (port) => {
    const { server, events, connect: client } = await served({ tls: port === 'port' ? 'off' : 'auto', plaintextPort: 0 });
    await expect(RawClient.connect(`https://127.0.0.1:${server[port]}`)).rejects.toThrow();
    expect(await events.next(named('handshake.failed'))).toMatchObject({ reason: 'the client speaks TLS, this port plaintext' });
    await client('plaintext');
  });
});

describe('a TLS handshake that fails', () => {
  async function handshake(running: Served, options: ConnectionOptions): Promise<string> {
    const ca = await running.server.rootCertificatePem();
    const socket = connectTls({ port: running.server.port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'], ...options }).on(
      'error',
      () => undefined,
    );
    afterwards(() => socket.destroy());
    const { reason, peer } = await running.events.next(named('handshake.failed'));
    expect(peer).toMatch(/^127\.0\.0\.1:\d+$/);
    return reason;
  }

  it.each<[string, ConnectionOptions, string]>([
    ['no ALPN at all', { ALPNProtocols: [] }, 'the client offers no ALPN protocol; gRPC asks for "h2"'],
    ['HTTP/1 in ALPN', { ALPNProtocols: ['http/1.1'] }, 'no shared ALPN protocol: the client does not offer "h2"'],
    [
      'an old TLS version',
      { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' },
      'no shared TLS version: at least 1.2 is asked for',
    ],
  ])('for %s says so', async (_what, options, reason) => {
    const running = await served();
    expect(await handshake(running, options)).toBe(reason);
    await expectToServe(running);
  });

  it('because the client does not know our root says so', async () => {
    const running = await served();
    const folder = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
    afterwards(() => rm(folder, { recursive: true }));
    const { server: stranger } = await served();
    await writeFile(join(folder, 'root.pem'), await stranger.rootCertificatePem());
    const args = [
      's_client',
      '-connect',
      `127.0.0.1:${running.server.port}`,
      '-alpn',
      'h2',
      '-CAfile',
      join(folder, 'root.pem'),
      '-verify_return_error',
    ];
    const client = execFile('openssl', args, () => undefined);
    client.stdin?.end();
    const { reason } = await running.events.next(named('handshake.failed'));
    expect(reason).toMatch(
      /^the client does not trust our root certificate \(TLS alert "unknown ca"\)|^the client rejects our certificate/,
    );
    await expectToServe(running);
  });
});
