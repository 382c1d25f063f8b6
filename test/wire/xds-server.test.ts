import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Arrivals } from './arrivals.ts';
import { RawClient } from './raw-client.ts';
import { clusterType, response } from './recorded-streams.ts';
import { afterwards, named, prepared, served } from './served.ts';

/** A bare TCP connection, and all that the server said on it. */
async function dial(
  port: number,
): Promise<{ readonly socket: Socket; readonly heard: Arrivals<Buffer>; readonly closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1');
  afterwards(() => socket.destroy());
  const heard = new Arrivals<Buffer>();
  socket.on('data', (bytes) => heard.push(bytes)).on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, heard, closed: new Promise((resolve) => socket.once('close', resolve)) };
}

async function accepts(port: number, host: string): Promise<boolean> {
  const socket = connect(port, host);
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((answer) => {
    socket.destroy();
    return answer as boolean;
  });
}

describe('a server that starts', () => {
  it('listens on one port at both loopback addresses, and on a plaintext port', async () => {
    const { server, events } = await served({ plaintextPort: 0 });
    const { port, plaintextPort = 0 } = server;
    expect(port).toBeGreaterThan(0);
    expect(server.address).toBe('127.0.0.1');
    const addresses = [`127.0.0.1:${port}`, `[::1]:${port}`, `127.0.0.1:${plaintextPort}`, `[::1]:${plaintextPort}`];
    const withIpv6 = await accepts(port, '::1');
    expect(server.addresses).toEqual(withIpv6 ? addresses : addresses.filter((address) => !address.startsWith('[')));
    expect(events.all).toContainEqual({ event: 'server.started', addresses: server.addresses });
    expect(await accepts(plaintextPort, '127.0.0.1')).toBe(true);
  });

  it('can tell its ports before it listens on them', async () => {
    const { server, events } = prepared({ plaintextPort: 0 });
    await server.reserve();
    const { port, plaintextPort = 0 } = server;
    expect([port > 0, plaintextPort > 0, port === plaintextPort]).toEqual([true, true, false]);
    expect([await accepts(port, '127.0.0.1'), await accepts(plaintextPort, '127.0.0.1'), events.all]).toEqual([false, false, []]);
    await server.start();
    expect([server.port, server.plaintextPort]).toEqual([port, plaintextPort]);
    expect(await accepts(port, '127.0.0.1')).toBe(true);
  });

  it('says which port is in use, and what to do', async () => {
    const { server: first } = await served();
    const { server: second } = prepared({ port: first.port, bind: ['127.0.0.1'] });
    await expect(second.start()).rejects.toMatchObject({
      code: 'port.in-use',
      message: `127.0.0.1:${first.port} is in use already. Stop what listens there, or choose another port with \`--port\`, or the option \`port\` (0 takes any free one)`,
    });
    expect(second.addresses).toEqual([]);
  });

  it('leaves no port open if the other one is in use', async () => {
    const { server: first } = await served();
    const { server: gone } = await served();
    await gone.stop();
    const { server: second, events } = prepared({ port: gone.port, plaintextPort: first.port });
    await expect(second.start()).rejects.toMatchObject({
      code: 'port.in-use',
      message: expect.stringContaining('`--plaintext-port`, or the option `plaintextPort`'),
    });
    expect(await accepts(gone.port, '127.0.0.1')).toBe(false);
    expect([second.addresses, events.all]).toEqual([[], []]);
    await first.stop();
    await second.start();
    expect(second.plaintextPort).toBe(first.port);
  });

  it.each([['192.0.2.77'], ['no-address']])('refuses to listen at %s', async (host) => {
    await expect(prepared({ bind: [host] }).server.start()).rejects.toMatchObject({
      code: 'options.invalid',
      message: expect.stringContaining('`--bind`, or the option `bind`'),
    });
  });

  it('finds a port that is free at all of its addresses', async () => {
    const { server } = prepared({ bind: ['127.0.0.1', '127.0.0.2'] });
    await server.start();
    const ports = server.addresses.map((address) => address.split(':').at(-1));
    expect(new Set(ports).size).toBe(1);
    expect(ports).toHaveLength(2);
  });
});

describe.each(['sotw', 'delta'] as const)('a server that stops, with a client that speaks %s', (variant) => {
  it('ends every stream with a status, cuts the connections, and listens on the same port when started again', async () => {
    const { server, streams, events, connect: client } = await served({ plaintextPort: 0 });
    const { port, plaintextPort } = server;
    const [one, other] = [await client(), await client('TLS')];
    const calls = [one.stream(variant), one.stream(variant), other.stream(variant)];
    const opened = [await streams.opened.next(), await streams.opened.next(), await streams.opened.next()];
    for (const { port: out } of opened) out.send(response(variant));
    for (const call of calls) void call.status.then(() => call.http2.end());
    await server.stop();
    for (const call of calls) expect(await call.status).toMatchObject({ code: 14, text: 'server is shutting down' });
    for (const { closed } of opened) expect(await closed).toMatchObject({ by: 'server', status: { code: 14 } });
    await Promise.all([one.closed, other.closed]);
    for (const call of calls) expect(call.responses.all).toHaveLength(1);
    expect(await accepts(port, '127.0.0.1')).toBe(false);
    expect(server.addresses).toEqual([]);

    await server.start();
    expect([server.port, server.plaintextPort]).toEqual([port, plaintextPort]);
    const again = (await client()).stream(variant);
    (await streams.opened.next()).port.send(response(variant, { nonce: 'again' }));
    expect(await again.next()).toMatchObject({ nonce: 'again' });
    expect(events.all.map(({ event }) => event).filter((name) => name.startsWith('server.'))).toEqual([
      'server.started',
      'server.stopped',
      'server.started',
    ]);
  });

  it('may be stopped twice at once, and started in the same breath', async () => {
    const { server, streams, events, connect: client } = await served();
    await Promise.all([server.stop(), server.stop(), server.start(), server.start()]);
    expect(events.all.map(({ event }) => event)).toEqual(['server.started', 'server.stopped', 'server.started']);
    (await client()).stream(variant);
    await streams.opened.next();
  });
});

describe.each([
  { variant: 'sotw', over: 'plaintext' },
  { variant: 'delta', over: 'TLS' },
] as const)('a server that falls silent, with a client that speaks $variant over $over', ({ variant, over }) => {
  it('accepts but says no byte, on new connections and old ones', async () => {
    const { server, streams, events, connect: client } = await served();
    const old = (await client(over)).stream(variant);
    const { port, requests } = await streams.opened.next();
    server.silence();
    port.send(response(variant));
    old.send({ typeUrl: clusterType });
    const fresh = await dial(server.port);
    fresh.socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
    expect(await events.next((event) => event.event === 'connection.accepted' && event.protocol === 'silent')).toBeTruthy();
    // Later on the same sockets: a ping on the old one that stays unanswered while a whole other server answers its own.
    let pinged = false;
    old.http2.session?.ping(() => (pinged = true));
    const { connect: otherClient } = await served();
    const answering = await otherClient();
    for (let round = 0; round < 5; round += 1) await new Promise<void>((resolve) => answering.session.ping(() => resolve()));
    expect([fresh.heard.all, old.responses.all, requests.all, pinged]).toEqual([[], [], [], false]);

    server.unsilence();
    expect(await old.next()).toMatchObject({ nonce: 'n1' });
    expect(await requests.next()).toMatchObject({ typeUrl: clusterType });
    expect((await fresh.heard.next()).length).toBeGreaterThan(0);
    expect(events.all.filter(named('server.silenced'))).toEqual([
      { event: 'server.silenced', silent: true },
      { event: 'server.silenced', silent: false },
    ]);
  });

  it('holds a stream that ends back as well', async () => {
    const { server, streams, connect: client } = await served();
    const call = (await client(over)).stream(variant);
    const { port } = await streams.opened.next();
    server.silence();
    port.send(response(variant));
    port.end({ code: 14, message: 'bye' });
    expect(call.responses.all).toEqual([]);
    server.unsilence();
    expect(await call.next()).toMatchObject({ nonce: 'n1' });
    expect(await call.status).toMatchObject({ code: 14, text: 'bye' });
  });

  it('cuts its connections without a word when it is stopped, and speaks when started again', async () => {
    const { server, streams, connect: client } = await served();
    const call = (await client(over)).stream(variant);
    const { closed } = await streams.opened.next();
    server.silence();
    const fresh = await dial(server.port);
    await server.stop();
    await Promise.all([call.closed, fresh.closed]);
    expect(call.responses.all).toEqual([]);
    expect(await closed).toMatchObject({ by: 'server', status: { code: 14 } });
    await server.start();
    expect(server.silent).toBe(false);
    (await client(over)).stream(variant);
    await streams.opened.next();
  });

  it('may start silent, and speak when asked to start again', async () => {
    const { server, streams } = prepared();
    server.silence();
    await server.start();
    expect(server.silent).toBe(true);
    const connecting = RawClient.connect(`http://127.0.0.1:${server.port}`);
    await server.start();
    const client = await connecting;
    afterwards(() => client.close());
    client.stream(variant);
    await streams.opened.next();
  });
});

it('a server that stops does not wait long for a client that does not let go', async () => {
  const { server, streams, connect: client } = await served();
  const stuck = (await client()).stream('delta');
  await streams.opened.next();
  stuck.http2.pause();
  const before = performance.now();
  await server.stop();
  expect(performance.now() - before).toBeLessThan(2500);
});

it('a server that never started has nothing to stop', async () => {
  const { server, events } = prepared();
  await server.stop();
  expect(events.all).toEqual([]);
});
