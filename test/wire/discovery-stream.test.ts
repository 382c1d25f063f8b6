import { describe, expect, it } from 'vitest';
import { named, served } from './served.ts';
import { cluster, clusterType, response } from './recorded-streams.ts';

const variants = ['sotw', 'delta'] as const;
const both = variants.flatMap((variant) => (['plaintext', 'TLS'] as const).map((over) => ({ variant, over })));

describe.each(both)('an xDS stream, $variant over $over', ({ variant, over }) => {
  it('carries requests in and responses out, in their order', async () => {
    const { streams, connect } = await served();
    const call = (await connect(over)).stream(variant);
    call.send({ typeUrl: clusterType, node: { id: 'n' } });
    const stream = await streams.opened.next();
    expect(stream.description).toMatchObject({ variant, secure: over === 'TLS' });
    expect(stream.description.peer).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(await stream.requests.next()).toMatchObject({ variant, typeUrl: clusterType, node: { id: 'n' } });
    for (const nonce of ['n1', 'n2', 'n3']) stream.port.send(response(variant, { nonce, resources: [cluster('c')] }));
    for (const nonce of ['n1', 'n2', 'n3']) expect(await call.next()).toMatchObject({ nonce, typeUrl: clusterType, controlPlane: null });
  });

  it('ends with the status it is given, after all that was sent before', async () => {
    const { streams, connect } = await served();
    const call = (await connect(over)).stream(variant);
    const stream = await streams.opened.next();
    stream.port.send(response(variant));
    stream.port.end({ code: 14, message: 'istiod is gone, 100% "gone"' });
    stream.port.end({ code: 2, message: 'too late' });
    stream.port.send(response(variant, { nonce: 'too late' }));
    expect(await call.next()).toMatchObject({ nonce: 'n1' });
    expect(await call.status).toEqual({ code: 14, text: 'istiod is gone, 100%25 "gone"', trailersOnly: false });
    expect(await stream.closed).toEqual({ by: 'server', status: { code: 14, message: 'istiod is gone, 100% "gone"' } });
    expect(call.responses.all).toHaveLength(1);
  });

  it('that is refused before its first request brings its status alone', async () => {
    const { streams, connect } = await served();
    streams.refusal = { code: 16, message: 'authentication failure' };
    const call = (await connect(over)).stream(variant);
    expect(await call.status).toEqual({ code: 16, text: 'authentication failure', trailersOnly: true });
  });
});

describe.each(variants)('an xDS stream, %s', (variant) => {
  it('takes and sends messages over 4 MiB', async () => {
    const { streams, connect } = await served();
    const call = (await connect(variant === 'sotw' ? 'plaintext' : 'TLS')).stream(variant);
    // Of names no more than 40 000 are taken at once.
    const names = Array.from({ length: 39_000 }, (_, position) => `outbound|${position}||${'x'.repeat(100)}`);
    expect(names.join('').length).toBeGreaterThan(4 * 1024 * 1024);
    call.send({ typeUrl: clusterType, [variant === 'sotw' ? 'resourceNames' : 'resourceNamesSubscribe']: names });
    const stream = await streams.opened.next();
    const request = await stream.requests.next();
    expect((request.variant === 'sotw' ? request.names : request.subscribe).join()).toBe(names.join());
    stream.port.send(response(variant, { resources: [cluster('big', Buffer.alloc(6 * 1024 * 1024, 7))] }));
    const { resources } = (await call.next()) as { resources: readonly { value?: Buffer; resource?: { value: Buffer } }[] };
    expect((resources[0]?.value ?? resources[0]?.resource?.value)?.length).toBe(6 * 1024 * 1024);
  });

  it('whose client closes its side ends well, answered what it asked for', async () => {
    const { streams, connect } = await served();
    const call = (await connect()).stream(variant);
    call.send({ typeUrl: clusterType });
    call.http2.end();
    const stream = await streams.opened.next();
    await stream.requests.next();
    stream.port.send(response(variant));
    expect(await call.next()).toMatchObject({ nonce: 'n1' });
    expect(await call.status).toMatchObject({ code: 0 });
    expect(await stream.closed).toMatchObject({ by: 'client', status: { code: 0 } });
  });

  it('whose client goes away is closed by the client', async () => {
    const { streams, connect } = await served();
    const client = await connect();
    client.stream(variant);
    const stream = await streams.opened.next();
    client.close();
    expect(await stream.closed).toMatchObject({ by: 'client', status: { code: 1 } });
    stream.port.send(response(variant));
    stream.port.end({ code: 14, message: 'nobody hears it' });
  });

  it('ends at a message that cannot be read, and says why', async () => {
    const { streams, connect } = await served();
    const call = (await connect()).stream(variant);
    call.sendBytes(Buffer.from([0x0a, 0x7f, 1, 2]));
    const status = await call.status;
    expect(status).toMatchObject({ code: 13, text: expect.stringMatching(/^grpc: failed to unmarshal the received message: /) });
    expect(await (await streams.opened.next()).closed).toMatchObject({ by: 'server', status: { code: 13 } });
  });

  it('ends at a message over the limit, either way', async () => {
    const { streams, connect } = await served({ maxMessageBytes: 1000 });
    const sending = (await connect()).stream(variant);
    sending.sendBytes(Buffer.alloc(2000));
    expect(await sending.status).toMatchObject({ code: 8, text: 'Received message larger than max (2000 vs 1000)' });
    expect(await (await streams.opened.next()).closed).toMatchObject({ by: 'server', status: { code: 8 } });
    const receiving = (await connect()).stream(variant);
    (await streams.opened.next()).port.send(response(variant, { resources: [cluster('c', Buffer.alloc(2000))] }));
    expect(await receiving.status).toMatchObject({
      code: 8,
      text: expect.stringMatching(/^Sent message larger than max \(\d+ vs. 1000\)$/),
    });
  });

  it('ends with a status if a session fails, and the server goes on', async () => {
    const { streams, connect } = await served();
    const client = await connect();
    const broken = client.stream(variant);
    streams.defect = new Error('oops');
    broken.send({ typeUrl: clusterType });
    expect(await broken.status).toMatchObject({ code: 13, text: 'fake-istiod failed: oops' });
    streams.defect = undefined;
    const next = client.stream(variant);
    next.send({ typeUrl: clusterType });
    await streams.opened.next();
    expect(await (await streams.opened.next()).requests.next()).toMatchObject({ typeUrl: clusterType });
  });
});

describe('a client that does not read', () => {
  const big = { resources: [cluster('big', Buffer.alloc(64 * 1024))] };

  it('is sent what waits, in order, when it reads again', async () => {
    const { streams, connect } = await served();
    const call = (await connect()).stream('sotw');
    const { port } = await streams.opened.next();
    call.http2.pause();
    for (let nonce = 0; nonce < 200; nonce += 1) port.send(response('sotw', { nonce: String(nonce), ...big }));
    call.http2.resume();
    for (let nonce = 0; nonce < 200; nonce += 1) expect(await call.next()).toMatchObject({ nonce: String(nonce) });
  });

  it('is sent what waits before the status', async () => {
    const { streams, connect } = await served();
    const call = (await connect()).stream('delta');
    const { port } = await streams.opened.next();
    call.http2.pause();
    for (let nonce = 0; nonce < 100; nonce += 1) port.send(response('delta', { nonce: String(nonce), ...big }));
    port.end({ code: 14, message: 'bye' });
    call.http2.resume();
    for (let nonce = 0; nonce < 100; nonce += 1) expect(await call.responses.next()).toMatchObject({ nonce: String(nonce) });
    expect(await call.status).toMatchObject({ code: 14, text: 'bye' });
  });

  it('is cut off when thousands of responses wait for it', async () => {
    const { streams, connect } = await served();
    const call = (await connect()).stream('sotw');
    const { port, closed } = await streams.opened.next();
    call.http2.pause();
    for (let nonce = 0; nonce < 5000; nonce += 1) port.send(response('sotw', { nonce: String(nonce), ...big }));
    call.http2.resume();
    expect(await call.status).toMatchObject({ code: 8, text: expect.stringContaining('the client does not read') });
    expect(await closed).toMatchObject({ by: 'server', status: { code: 8 } });
  });
});

describe('a method that nobody serves', () => {
  it.each([
    ['/some.Service/Method', 'unknown service some.Service'],
    [
      '/envoy.service.discovery.v3.AggregatedDiscoveryService/Nope',
      'unknown method Nope for service envoy.service.discovery.v3.AggregatedDiscoveryService',
    ],
    ['/x', 'malformed method name: "/x"'],
  ])('%s is answered as grpc-go does', async (path, text) => {
    const { connect } = await served();
    const call = (await connect()).call(path, 'google.protobuf.Struct', 'google.protobuf.Struct');
    expect(await call.status).toEqual({ code: 12, text, trailersOnly: true });
  });
});

it('each connection is told, with what it speaks', async () => {
  const { events, connect, server } = await served();
  const client = await connect('plaintext');
  expect(await events.next(named('connection.accepted'))).toEqual({
    event: 'connection.accepted',
    peer: `127.0.0.1:${client.session.socket.localPort}`,
    port: server.port,
    protocol: 'plaintext',
  });
  await connect('TLS');
  expect(await events.next(named('connection.accepted'))).toMatchObject({ protocol: 'tls' });
});
