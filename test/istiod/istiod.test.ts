import { afterEach, describe, expect, it } from 'vitest';
import { specQuirks, startFakeIstiod, TypeUrl, type FakeIstiod, type FakeIstiodOptions, type ResourceSet } from '../../src/index.ts';
import type { Layer } from '../../src/script/command.ts';
import type { Scenario } from '../../src/script/scenario.ts';
import { bothVariants } from '../protocol/model-client.ts';
import { RawClient, type Message, type RawCall } from '../wire/raw-client.ts';

const node = { id: 'sidecar~10.0.0.1~shop.demo~demo.svc.cluster.local', cluster: 'shop.demo' };
const clusters = (...names: string[]): { clusters: readonly unknown[] } => ({
  clusters: names.map((name) => ({ name, connect_timeout: '1s' })),
});
const listeners = [{ name: 'l', address: { socket_address: { address: '127.0.0.1', port_value: 0 } } }];

const open: { stop(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function start(options: FakeIstiodOptions = {}): Promise<FakeIstiod> {
  const istiod = await startFakeIstiod(options);
  open.push(istiod);
  return istiod;
}

async function connect(istiod: FakeIstiod, variant: 'sotw' | 'delta'): Promise<RawCall> {
  const client = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
  open.push({ stop: () => client.session.destroy() });
  return client.stream(variant);
}

/** Names in a response of either variant; removed ones with a minus. */
function namesIn(response: Message): string[] {
  const decoded = response['resources'] as readonly { readonly value?: Uint8Array; readonly name?: string }[];
  // Field 1 of a Cluster and of a Listener is its name, and both messages begin with it.
  const nameOf = (value: Uint8Array): string => Buffer.from(value.subarray(2, 2 + (value[1] ?? 0))).toString();
  const removed = (response['removed_resources'] ?? response['removedResources'] ?? []) as readonly string[];
  return [...decoded.map(({ name, value }) => name ?? nameOf(value ?? new Uint8Array())), ...removed.map((name) => `-${name}`)];
}

/** A request in the field names that both messages have. */
function request(typeUrl: string, more: Message = {}): Message {
  return { node, typeUrl, ...more };
}

function nonceOf(response: Message): string {
  return (response['nonce'] as string | undefined) ?? '';
}

describe.each(bothVariants)('The yardstick, by the public API and a client that shares no code with it, in %s', (variant) => {
  it('withholds CDS, releases it, publishes, and sees the push acknowledged', async () => {
    const istiod = await start({ serve: { ...clusters('a'), listeners } });
    istiod.withhold('CDS');
    const call = await connect(istiod, variant);
    call.send(request(TypeUrl.cluster));
    const withheld = await istiod.waitFor({ type: 'response.withheld', typeUrl: TypeUrl.cluster });
    // Typed by the name that was awaited: no other event has these fields.
    expect([withheld.names, withheld.variant]).toEqual([[], variant]);
    expect(istiod.timeline.events.some(({ event }) => event === 'response.sent')).toBe(false);

    istiod.release(TypeUrl.cluster);
    const first = await call.next();
    expect(namesIn(first)).toEqual(['a']);
    call.send(request(TypeUrl.cluster, { responseNonce: nonceOf(first) }));
    await istiod.waitFor({ type: 'response.acked', typeUrl: TypeUrl.cluster });

    const push = istiod.publish(clusters('a', 'b'));
    const acked = push.acked({ node: node.id });
    const second = await call.next();
    expect(namesIn(second)).toEqual(variant === 'sotw' ? ['a', 'b'] : ['b']);
    call.send(request(TypeUrl.cluster, { responseNonce: nonceOf(second) }));
    await acked;
  });

  it("rejects a push with the client's own words", async () => {
    const istiod = await start({ serve: clusters('a') });
    const call = await connect(istiod, variant);
    call.send(request(TypeUrl.cluster));
    const first = await call.next();
    call.send(request(TypeUrl.cluster, { responseNonce: nonceOf(first) }));
    await istiod.waitFor({ type: 'response.acked' });

    const acked = istiod.publish(clusters('bad')).acked();
    call.send(
      request(TypeUrl.cluster, { responseNonce: nonceOf(await call.next()), errorDetail: { code: 13, message: 'bad is no good' } }),
    );
    await expect(acked).rejects.toMatchObject({ code: 'push.nacked', message: `${node.id} rejected CDS: bad is no good` });
  });

  it('sets and removes single resources, and sees that acknowledged', async () => {
    const istiod = await start({ serve: { ...clusters('a', 'b', 'c'), listeners } });
    const call = await connect(istiod, variant);
    call.send(request(TypeUrl.cluster));
    const first = await call.next();
    call.send(request(TypeUrl.cluster, { responseNonce: nonceOf(first) }));
    await istiod.waitFor({ type: 'response.acked' });

    const push = istiod.update({ set: clusters('d'), remove: { CDS: ['a'], [TypeUrl.cluster]: ['b'] } });
    expect(push.typeUrls).toEqual([TypeUrl.cluster]);
    const second = await call.next();
    expect(namesIn(second)).toEqual(variant === 'sotw' ? ['c', 'd'] : ['d', '-a', '-b']);
    const acked = push.acked({ node: node.id });
    call.send(request(TypeUrl.cluster, { responseNonce: nonceOf(second) }));
    await acked;

    call.send(request(TypeUrl.listener));
    expect(namesIn(await call.next())).toEqual(['l']);
  });

  it("rejects an update with the client's own words", async () => {
    const istiod = await start({ serve: clusters('a') });
    const call = await connect(istiod, variant);
    call.send(request(TypeUrl.cluster));
    const first = await call.next();
    call.send(request(TypeUrl.cluster, { responseNonce: nonceOf(first) }));
    await istiod.waitFor({ type: 'response.acked' });

    const acked = istiod.update({ remove: { clusters: ['a'] } }).acked();
    call.send(request(TypeUrl.cluster, { responseNonce: nonceOf(await call.next()), errorDetail: { code: 13, message: 'a is needed' } }));
    await expect(acked).rejects.toMatchObject({ code: 'push.nacked', message: `${node.id} rejected CDS: a is needed` });
  });

  it('sends nothing for an update that changes nothing, which is acknowledged already', async () => {
    const istiod = await start({ serve: clusters('a') });
    const call = await connect(istiod, variant);
    call.send(request(TypeUrl.cluster));
    const first = await call.next();
    call.send(request(TypeUrl.cluster, { responseNonce: nonceOf(first) }));
    await istiod.waitFor({ type: 'response.acked' });

    const push = istiod.update({ set: clusters('a'), remove: { CDS: ['nobody'] } });
    expect(push.typeUrls).toEqual([]);
    await push.acked({ node: node.id });
    istiod.update({ set: clusters('b') });
    expect(namesIn(await call.next())).toEqual(variant === 'sotw' ? ['a', 'b'] : ['b']);
  });

  it('says of a push that is not acknowledged in time what it waits for, and what happened last', async () => {
    const istiod = await start({ serve: clusters('a') });
    const call = await connect(istiod, variant);
    call.send(request(TypeUrl.cluster));
    await call.next();
    const error = await istiod
      .publish(clusters('b'))
      .acked({ timeoutMs: 1 })
      .catch((reason: Error) => reason.message);
    expect(error).toMatch(/^push not acknowledged within 0.001 s: .* CDS: .*\nlast events:\n(.*\n)* .* published .*: CDS set b removed a/);
  });

  it('ends every stream with a status at the stop, and every wait', async () => {
    const istiod = await start({ serve: clusters('a') });
    const call = await connect(istiod, variant);
    call.send(request(TypeUrl.cluster));
    await call.next();
    void call.status.then(() => call.http2.end());
    const waits = [istiod.waitFor({ type: 'response.nacked' }), istiod.publish(clusters('b')).acked({ node: 'nobody' })];
    const ends = Promise.allSettled(waits);
    await istiod.stop();
    expect(await ends).toMatchObject(waits.map(() => ({ status: 'rejected', reason: { code: 'istiod.stopped' } })));
    expect((await call.status).code).toBe(14);
    await istiod.stop();
    expect(await istiod.waitFor({ type: 'request.received' })).toMatchObject({ type: 'CDS' });
    await expect(istiod.waitFor({ type: 'response.nacked' })).rejects.toMatchObject({
      code: 'wait.timed-out',
      message: expect.stringContaining('\nthe fake istiod has been stopped: nothing more happens to it\n') as unknown,
    });
  });
});

/** A scenario that serves these layers and does nothing. */
const scenario = (layers: readonly Layer[]): Scenario =>
  ({
    name: 's',
    layers,
    withhold: [],
    steps: [],
    expectations: [],
    istiod: { state: 'up', ready: true, quirks: specQuirks },
    bootstrap: {},
  }) as unknown as Scenario;

describe('What is served from the start', () => {
  async function firstClusters(istiod: FakeIstiod): Promise<string[]> {
    const call = await connect(istiod, 'delta');
    call.send(request(TypeUrl.cluster));
    return namesIn(await call.next());
  }

  it('takes the place of the types that the scenario serves, and a later publish that of both', async () => {
    const resource = { typeUrl: TypeUrl.cluster, name: 'of-scenario', value: new Uint8Array() };
    const istiod = await start({ scenario: scenario([{ resources: [resource] }]), serve: clusters('served') });
    expect(await firstClusters(istiod)).toEqual(['served']);
    istiod.publish(clusters('published'));
    expect(await firstClusters(istiod)).toEqual(['published']);
  });

  it('lies beneath what the scenario serves some nodes', async () => {
    const resource = { typeUrl: TypeUrl.cluster, name: 'of-node', value: new Uint8Array() };
    const istiod = await start({ scenario: scenario([{ node: { id: '*' }, resources: [resource] }]), serve: clusters('served') });
    expect(await firstClusters(istiod)).toEqual(['of-node']);
  });

  it('may be an empty list, which takes the type of the scenario away', async () => {
    const resource = { typeUrl: TypeUrl.cluster, name: 'of-scenario', value: new Uint8Array() };
    const istiod = await start({ scenario: scenario([{ resources: [resource] }]), serve: clusters() });
    expect(await firstClusters(istiod)).toEqual([]);
  });
});

describe('The library', () => {
  it.each([
    ['a type to remove', { remove: { clutsers: ['a'] } }, 'options.invalid', '"clutsers" is no resource type'],
    ['names to remove', { remove: { clusters: 'a' } }, 'options.invalid', 'what is to be removed of clusters is no list of resource names'],
    ['a type to set', { set: { clutsers: [] } }, 'options.invalid', '"clutsers" is no kind of resource'],
    ['a resource to set', { set: { clusters: [{ name: 'b', connect_timeout: '1x' }] } }, 'resource.invalid', 'clusters[0].connect_timeout'],
  ])('says what is wrong with %s, and changes nothing', async (_, update, code, message) => {
    const istiod = await start({ serve: clusters('a') });
    expect(() => istiod.update(update as never)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) as unknown }) as Error,
    );
    expect(istiod.timeline.events.some(({ event }) => event === 'snapshot.published')).toBe(false);
  });

  it('takes a misspelt kind of resource for a mistake when it is compiled', () => {
    // @ts-expect-error: it is `clusters`.
    const misspelt: ResourceSet = { cluster: [] };
    expect(Object.keys(misspelt)).toEqual(['cluster']);
  });

  it('takes a kind without a value for one that was left out, so that nothing of it is taken away', async () => {
    const istiod = await start({ serve: clusters('a') });
    expect(istiod.publish({ clusters: undefined, listeners } as never).typeUrls).toEqual([TypeUrl.listener]);
    expect(istiod.update({ set: { clusters: undefined } } as never).typeUrls).toEqual([]);
  });

  it('does not listen again after the stop, whatever it is told', async () => {
    const istiod = await start();
    await istiod.stop();
    istiod.perform({ kind: 'start-server' });
    // Waits for what the command has set off.
    await istiod.stop();
    const told = istiod.timeline.events.map(({ event }) => event).filter((event) => event.startsWith('server.'));
    expect(told).toEqual(['server.started', 'server.stopped']);
  });

  it.each(['withhold', 'release'] as const)('says which types there are when %s is given a word that is none', async (verb) => {
    const istiod = await start();
    expect(() => istiod[verb]('clutser')).toThrow('"clutser" is no resource type. Use CDS, EDS, LDS, RDS, SDS … or a type URL');
  });

  it('gives a bootstrap that points at its port', async () => {
    const istiod = await start();
    expect(JSON.stringify(istiod.bootstrap())).toContain(`"port_value":${istiod.port}`);
  });

  // All of 127.0.0.0/8 is loopback on Linux alone.
  it.runIf(process.platform === 'linux')('points at the address that it is bound to', async () => {
    const istiod = await start({ bind: ['127.0.0.2', '127.0.0.1'] });
    expect(istiod.host).toBe('127.0.0.2');
    expect(JSON.stringify(istiod.bootstrap())).toContain(`"address":"127.0.0.2","port_value":${istiod.port}`);
  });

  it('gives a bootstrap that stays good when nothing listens at first', async () => {
    const istiod = await start({ scenario: { ...scenario([]), istiod: { state: 'down', ready: true, quirks: specQuirks } } });
    const early = istiod.bootstrap();
    expect(istiod.port).toBeGreaterThan(0);
    istiod.perform({ kind: 'start-server' });
    await istiod.waitFor({ type: 'server.started', addresses: `127.0.0.1:${istiod.port}` });
    expect(istiod.bootstrap()).toEqual(early);
  });

  it('tells who watches its health when it gets ready, and when it no longer is', async () => {
    const istiod = await start({ scenario: { ...scenario([]), istiod: { state: 'up', ready: false, quirks: specQuirks } } });
    const client = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
    open.push({ stop: () => client.session.destroy() });
    const health = 'grpc.health.v1';
    const call = client.call(`/${health}.Health/Watch`, `${health}.HealthCheckRequest`, `${health}.HealthCheckResponse`);
    call.send({});
    expect(await call.next()).toEqual({ status: 2 });
    istiod.perform({ kind: 'set-ready', ready: true });
    expect(await call.next()).toEqual({ status: 1 });
    istiod.perform({ kind: 'set-ready', ready: false });
    expect(await call.next()).toEqual({ status: 2 });
  });

  it('lets a caller mark a moment and see it', async () => {
    const istiod = await start();
    const seen: string[] = [];
    istiod.on(({ event }) => seen.push(event));
    istiod.mark('noon');
    expect(await istiod.waitFor({ type: 'moment.marked', moment: 'noon' })).toMatchObject({ moment: 'noon' });
    expect(seen).toEqual(['moment.marked']);
  });
});
