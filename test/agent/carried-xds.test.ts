import { once } from 'node:events';
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeIstiod, TypeUrl } from '../../src/index.ts';
import { messageType } from '../../src/protobuf/message-type.ts';
import { freePort } from '../free-port.ts';
import { Arrivals } from '../wire/arrivals.ts';
import type { RawCall } from '../wire/raw-client.ts';
import { account, accountId, agentIn, ask, clientOn, fate, node, podFolder, podFor, said } from './pod-folder.ts';

const variants = ['sotw', 'delta'] as const;
const cluster = { name: 'a', connect_timeout: '1s' };

describe.each(variants)('xDS through the agent (%s)', (variant) => {
  it("is istiod's, with the pod's token and cluster id on the stream", async () => {
    await using istiod = await startFakeIstiod({ serve: { clusters: [cluster] }, auth: true });
    const agent = await agentIn(await podFor(istiod), `${istiod.host}:${istiod.port}`);
    const call = (await clientOn(agent.sockets.xds)).stream(variant);
    call.send({ node, typeUrl: TypeUrl.cluster });
    expect(await call.next()).toMatchObject({ typeUrl: TypeUrl.cluster, resources: [expect.anything()] });
    const accepted = istiod.timeline.events.filter(({ event }) => event === 'token.accepted');
    expect(accepted).toContainEqual(expect.objectContaining({ service: 'xds', identity: accountId, clusterId: 'Kubernetes' }));
    const words = `connected to ${variant === 'delta' ? 'delta ' : ''}upstream XDS server: ${istiod.host}:${istiod.port}`;
    expect(said(agent)).toContain(`info xdsproxy ${words}`);
  });

  it("ends with istiod's status, and the next stream goes well once the token file is right", async () => {
    await using istiod = await startFakeIstiod({ serve: { clusters: [cluster] }, auth: true });
    const pod = await podFor(istiod, 'vault');
    const agent = await agentIn(pod, `${istiod.host}:${istiod.port}`);
    const client = await clientOn(agent.sockets.xds);
    const refused = client.stream(variant);
    refused.send({ node, typeUrl: TypeUrl.cluster });
    expect(await fate(refused)).toBe('16 authentication failure');
    expect(said(agent)).toContain(
      'warn xdsproxy upstream terminated with unexpected error rpc error: code = Unauthenticated desc = authentication failure',
    );
    pod.putToken(await istiod.token(account));
    const call = client.stream(variant);
    call.send({ node, typeUrl: TypeUrl.cluster });
    expect(await fate(call)).toBe('served');
  });

  it("ends in grpc-go's words where nobody listens", async () => {
    await using istiod = await startFakeIstiod();
    const port = await freePort();
    const agent = await agentIn(await podFor(istiod), `127.0.0.1:${port}`);
    const call = (await clientOn(agent.sockets.xds)).stream(variant);
    call.send({ node, typeUrl: TypeUrl.cluster });
    expect(await fate(call)).toBe(
      `14 connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:${port}: connect: connection refused"`,
    );
    expect(said(agent).join('\n')).not.toContain('connected to');
  });
});

it('says of which cluster it is, to xDS and CA', async () => {
  await using istiod = await startFakeIstiod({ auth: true });
  const agent = await agentIn(await podFor(istiod), `${istiod.host}:${istiod.port}`, { clusterId: 'nowhere' });
  const call = (await clientOn(agent.sockets.xds)).stream('delta');
  call.send({ node, typeUrl: TypeUrl.cluster });
  expect(await fate(call)).toBe('16 authentication failure');
  for (const service of ['xds', 'ca'] as const) {
    const { reason } = await istiod.waitFor({ type: 'token.rejected', service });
    expect(reason).toContain('client claims to be in cluster "nowhere"');
  }
});

it('does not go to an istiod whose certificate ends in another root', async () => {
  await using istiod = await startFakeIstiod();
  await using other = await startFakeIstiod();
  const agent = await agentIn(await podFor(other), `${istiod.host}:${istiod.port}`);
  const call = (await clientOn(agent.sockets.xds)).stream('delta');
  call.send({ node, typeUrl: TypeUrl.cluster });
  expect(await fate(call)).toBe(
    '14 connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown authority"',
  );
});

it('speaks plaintext where the policy is NONE', async () => {
  await using istiod = await startFakeIstiod({ serve: { clusters: [cluster] }, tls: 'off' });
  const agent = await agentIn(podFolder(), `127.0.0.1:${istiod.port}`, { controlPlaneAuthPolicy: 'NONE', fileMountedCerts: true });
  const call = (await clientOn(agent.sockets.xds)).stream('sotw');
  call.send({ node, typeUrl: TypeUrl.cluster });
  expect(await fate(call)).toBe('served');
  expect(said(agent)).toContain(
    'warn default failed to fetch token from file: open ./var/run/secrets/tokens/istio-token: no such file or directory',
  );
});

it('a second stream takes the place of the first', async () => {
  await using istiod = await startFakeIstiod({ serve: { clusters: [cluster] } });
  const agent = await agentIn(await podFor(istiod), `${istiod.host}:${istiod.port}`);
  const client = await clientOn(agent.sockets.xds);
  const first = client.stream('delta');
  first.send({ node, typeUrl: TypeUrl.cluster });
  expect(await fate(first)).toBe('served');
  const second = client.stream('delta');
  second.send({ node, typeUrl: TypeUrl.cluster });
  expect(await first.status).toMatchObject({ code: 0 });
  expect(await fate(second)).toBe('served');
});

const nameTable = 'type.googleapis.com/istio.networking.nds.v1.NameTable';
const health = 'type.googleapis.com/istio.v1.HealthInformation';
const discovery = 'envoy.service.discovery.v3';

/** An istiod that the test plays itself, in plaintext: what is asked, and a way to answer. */
async function playedIstiod(): Promise<{
  readonly address: string;
  readonly requests: Arrivals<Record<string, unknown>>;
  answer(message: object): void;
}> {
  const requests = new Arrivals<Record<string, unknown>>();
  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 });
  const [request, response] = [messageType(`${discovery}.DeltaDiscoveryRequest`), messageType(`${discovery}.DeltaDiscoveryResponse`)];
  let open: ServerDuplexStream<Buffer, Buffer> | undefined;
  const pass = (bytes: Buffer): Buffer => bytes;
  const handle = (call: ServerDuplexStream<Buffer, Buffer>): void => {
    open = call;
    call.on('data', (bytes: Buffer) => requests.push(request.toObject(request.decode(bytes))));
    call.on('end', () => call.end());
  };
  server.register('/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources', handle, pass, pass, 'bidi');
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  onTestFinished(() => server.forceShutdown());
  return {
    address: `127.0.0.1:${port}`,
    requests,
    answer: (message) => void open?.write(Buffer.from(response.encode(response.fromObject(message)).finish())),
  };
}

describe('what is between istiod and the agent alone', () => {
  const plaintext = { controlPlaneAuthPolicy: 'NONE', fileMountedCerts: true } as const;
  const typesOf = ({ all }: Arrivals<Record<string, unknown>>): readonly unknown[] => all.map(({ typeUrl }) => typeUrl);

  it('is asked for after LDS, taken out of the stream and acknowledged', async () => {
    const istiod = await playedIstiod();
    const agent = await agentIn(podFolder(), istiod.address, { ...plaintext, dnsCapture: true });
    const dnsTrouble = 'istio DNS capture is turned ON and DNS lookup table is not ready yet';
    expect(await agent.notReadyBecause()).toBe(dnsTrouble);
    expect(await ask(agent, '/debug/ndsz')).toEqual({ code: 404, body: '{}' });
    const call = (await clientOn(agent.sockets.xds)).stream('delta');
    call.send({ node, typeUrl: TypeUrl.cluster });
    call.send({ typeUrl: TypeUrl.listener });
    await istiod.requests.next(({ typeUrl }) => typeUrl === nameTable);
    expect(typesOf(istiod.requests)).toEqual([TypeUrl.cluster, TypeUrl.listener, nameTable]);
    istiod.answer({ typeUrl: nameTable, nonce: 'n1', resources: [{ name: 't', resource: { typeUrl: nameTable, value: tableBytes } }] });
    expect(await istiod.requests.next()).toMatchObject({ typeUrl: nameTable, responseNonce: 'n1' });
    istiod.answer({ typeUrl: TypeUrl.cluster, nonce: 'n2' });
    expect(await call.next()).toMatchObject({ typeUrl: TypeUrl.cluster, nonce: 'n2' });
    expect(await agent.notReadyBecause()).toBeUndefined();
    expect(JSON.parse((await ask(agent, '/debug/ndsz')).body)).toEqual({ table: { 'a.svc': { ips: ['10.0.0.1'] } } });
  });

  it('is refused if it cannot be read', async () => {
    const istiod = await playedIstiod();
    const agent = await agentIn(podFolder(), istiod.address, { ...plaintext, dnsCapture: true });
    const call = (await clientOn(agent.sockets.xds)).stream('delta');
    call.send({ node, typeUrl: TypeUrl.listener });
    await istiod.requests.next(({ typeUrl }) => typeUrl === nameTable);
    istiod.answer({
      typeUrl: nameTable,
      nonce: 'n1',
      resources: [{ resource: { typeUrl: nameTable, value: Buffer.from('ffff', 'hex') } }],
    });
    expect(await istiod.requests.next()).toMatchObject({ typeUrl: nameTable, responseNonce: 'n1', errorDetail: { code: 13 } });
  });

  it('does not reach Envoy, whatever its type', async () => {
    const istiod = await playedIstiod();
    const agent = await agentIn(podFolder(), istiod.address, plaintext);
    const call = (await clientOn(agent.sockets.xds)).stream('delta');
    call.send({ node, typeUrl: TypeUrl.cluster });
    await istiod.requests.next();
    istiod.answer({ typeUrl: 'istio.io/debug/syncz', nonce: 'n1' });
    istiod.answer({ typeUrl: 'type.googleapis.com/istio.workload.Workload', nonce: 'n2' });
    expect(await call.next()).toMatchObject({ nonce: 'n2' });
    expect(said(agent)).toContain('error xdsproxy Skipping forwarding type url istio.io/debug/syncz to Envoy as is not a valid Envoy type');
  });

  it('may be the health of the workload: told after LDS, and when it changes', async () => {
    const istiod = await playedIstiod();
    const port = await freePort();
    const agent = await agentIn(podFolder(), istiod.address, { ...plaintext, readinessProbe: { tcpSocket: { port } } });
    await expect.poll(() => said(agent).join('\n')).toContain('failure threshold hit, marking as unhealthy');
    const call = (await clientOn(agent.sockets.xds)).stream('delta');
    call.send({ node, typeUrl: TypeUrl.cluster });
    call.send({ typeUrl: TypeUrl.listener });
    const told = await istiod.requests.next(({ typeUrl }) => typeUrl === health);
    expect(told).toMatchObject({ errorDetail: { code: 13, message: expect.stringContaining('ECONNREFUSED') as string } });
    expect(typesOf(istiod.requests)).toEqual([TypeUrl.cluster, TypeUrl.listener, health]);
  });

  it('leaves large messages as they are, both ways', async () => {
    const istiod = await playedIstiod();
    const agent = await agentIn(podFolder(), istiod.address, plaintext);
    const call = (await clientOn(agent.sockets.xds)).stream('delta');
    call.send({
      node,
      typeUrl: TypeUrl.cluster,
      resourceNamesSubscribe: Array.from({ length: 200_000 }, (_, i) => `outbound|80||service-${i}.demo`),
    });
    expect((await istiod.requests.next())['resourceNamesSubscribe']).toHaveLength(200_000);
    const value = Buffer.alloc(9 * 1024 * 1024, 7);
    istiod.answer({ typeUrl: TypeUrl.cluster, nonce: 'n', resources: [{ name: 'big', resource: { typeUrl: TypeUrl.cluster, value } }] });
    expect(sizeOf(await call.next())).toBe(value.length);
  });
});

/** `{ table: { 'a.svc': { ips: ['10.0.0.1'] } } }` */
const tableBytes = Buffer.concat([
  Buffer.from([10, 19, 10, 5]),
  Buffer.from('a.svc'),
  Buffer.from([18, 10, 10, 8]),
  Buffer.from('10.0.0.1'),
]);

function sizeOf(response: Awaited<ReturnType<RawCall['next']>>): number {
  const [first] = response['resources'] as readonly { readonly resource: { readonly value: Uint8Array } }[];
  return first?.resource.value.length ?? 0;
}

it('goes away with its sockets', async () => {
  await using istiod = await startFakeIstiod();
  const agent = await agentIn(await podFor(istiod), `${istiod.host}:${istiod.port}`);
  const client = await clientOn(agent.sockets.xds);
  const gone = once(client.session, 'close');
  await agent.stop();
  await gone;
  expect(await agent.ended).toEqual({ by: 'request' });
  await expect(clientOn(agent.sockets.xds)).rejects.toThrow(/ENOENT/);
});
