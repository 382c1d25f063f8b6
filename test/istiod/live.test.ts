import { afterEach, describe, expect, it } from 'vitest';
import { startFakeIstiod, TypeUrl, type FakeIstiod, type FakeIstiodOptions } from '../../src/index.ts';
import { bothVariants } from '../protocol/model-client.ts';
import { RawClient, type RawCall } from '../wire/raw-client.ts';

const node = { id: 'sidecar~10.0.0.1~shop.demo~demo.svc.cluster.local', cluster: 'shop.demo' };
const clusters = (...names: string[]): { clusters: readonly unknown[] } => ({
  clusters: names.map((name) => ({ name, connect_timeout: '1s' })),
});

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

describe.each(bothVariants)('A server that runs, in %s', (variant) => {
  it('tells its nodes, what they are served, and every frame with its bytes', async () => {
    const istiod = await start({ serve: clusters('a') });
    const call = await connect(istiod, variant);
    call.send({ node, typeUrl: TypeUrl.cluster });
    await istiod.waitFor({ event: 'response.sent', type: 'CDS' });
    expect(istiod.node(node.id)).toMatchObject({ cluster: 'shop.demo', connected: true, types: [{ type: 'CDS', sync: 'sent' }] });
    expect(istiod.nodes).toHaveLength(1);
    expect(() => istiod.node('x')).toThrow(`no node with the id "x" is connected, or was lately. Known are ${node.id}`);
    expect(istiod.snapshot().types.map(({ type, resources }) => [type, resources.map(({ name }) => name)])).toEqual([['CDS', ['a']]]);
    const [asked, answered] = istiod.journal.frames();
    expect([asked?.direction, answered?.direction]).toEqual(['in', 'out']);
    for (const frame of [asked, answered]) expect(istiod.journal.message(frame?.seq ?? 0)).toHaveLength(frame?.size ?? 0);
    expect(Buffer.from(istiod.journal.message(answered?.seq ?? 0) ?? []).toString('latin1')).toContain(answered?.nonce);
    expect(Buffer.from(istiod.journal.message(asked?.seq ?? 0) ?? []).toString('latin1')).toContain('shop.demo');
    expect(() => istiod.journal.assert({ exactly: 1 }, { type: 'CDS', outcome: 'initial', node: node.id })).not.toThrow();
  });

  it('keeps no messages if there is to be no room for them', async () => {
    const istiod = await start({ serve: clusters('a'), journal: { messageBytes: 0, events: 1000 } });
    const call = await connect(istiod, variant);
    call.send({ node, typeUrl: TypeUrl.cluster });
    const { seq } = await istiod.waitFor({ event: 'response.sent', type: 'CDS' });
    expect([istiod.journal.message(seq), (istiod.journal.frames({ direction: 'out' })[0]?.size ?? 0) > 0]).toEqual([undefined, true]);
  });

  it('finds an earlier push by its version, and can wait for its ACK', async () => {
    const istiod = await start();
    const call = await connect(istiod, variant);
    call.send({ node, typeUrl: TypeUrl.cluster });
    const first = await call.next();
    call.send({ node, typeUrl: TypeUrl.cluster, responseNonce: first['nonce'] });
    const { version } = istiod.publish(clusters('b'));
    const response = await call.next();
    await expect(istiod.push(version).acked({ node: node.id, timeoutMs: 0 })).rejects.toThrow('CDS: sent, no answer yet');
    call.send({
      node,
      typeUrl: TypeUrl.cluster,
      responseNonce: response['nonce'],
      ...(variant === 'sotw' ? { versionInfo: version } : {}),
    });
    await istiod.push(version).acked({ node: node.id });
    expect(istiod.push().version).toBe(version);
    expect(() => istiod.push('x')).toThrow(`no push has the version x, or it is too long ago. The newest is ${version}`);
  });

  it('serves some nodes alone, plays another scenario, and begins it anew', async () => {
    const istiod = await start({ serve: clusters('a') });
    const call = await connect(istiod, variant);
    call.send({ node, typeUrl: TypeUrl.cluster });
    await call.next();
    istiod.update({ set: clusters('mine') }, { node: node.id });
    await call.next();
    expect(istiod.snapshot(node.id).types[0]?.resources.map(({ name }) => name)).toEqual(['a', 'mine']);
    await expect(istiod.play('no-such-scenario')).rejects.toMatchObject({ code: 'scenario.not-found' });
    expect(istiod.scenario).toBeUndefined();
    await istiod.play('withhold-first-cds');
    expect(istiod.scenario?.name).toBe('withhold-first-cds');
    expect(istiod.rules.map(({ sentence }) => sentence)).toEqual(['withhold CDS']);
    // What the caller serves lies over every scenario.
    expect(istiod.snapshot().types[0]?.resources.map(({ name }) => name)).toEqual(['a']);
    istiod.perform({ kind: 'gate', service: 'xds', state: 'closed', tries: 2 });
    istiod.removeRule('withhold-1');
    istiod.reset();
    expect(istiod.rules.map(({ sentence }) => sentence)).toEqual(['withhold CDS']);
    istiod.stopScenario();
    expect(istiod.steps.every(({ state }) => state !== 'waiting')).toBe(true);
  });

  it('closes streams by request', async () => {
    const istiod = await start();
    const call = await connect(istiod, variant);
    call.send({ node, typeUrl: TypeUrl.cluster });
    await call.next();
    expect(istiod.close({ node: { id: 'other' } })).toBe(0);
    expect(istiod.close({ stream: 1 }, { code: 8, message: 'enough' })).toBe(1);
    expect(await istiod.waitFor({ event: 'stream.closed' })).toMatchObject({ code: 8, text: 'enough', by: 'server' });
    expect(istiod.node(node.id)).toMatchObject({ connected: false });
  });
});

describe('A gate that is closed for some tries', () => {
  it('is a rule that tells how many are left, and that can be changed', async () => {
    const istiod = await start({ serve: clusters('a') });
    const [rule] = istiod.perform({ kind: 'gate', service: 'xds', state: 'closed', tries: 3 });
    await (
      await connect(istiod, 'sotw')
    ).status;
    expect(istiod.rules).toMatchObject([{ id: rule?.id, left: 2, sentence: 'close the xDS gate for 2 tries' }]);
    istiod.changeRule(rule?.id ?? '', { kind: 'gate', service: 'xds', state: 'closed', tries: 1 });
    await (
      await connect(istiod, 'sotw')
    ).status;
    expect(istiod.rules).toEqual([]);
  });
});

describe('Who has proved who they are', () => {
  it('is told with the stream', async () => {
    const istiod = await start({ auth: { keys: 'pki' } });
    const token = await istiod.token({ namespace: 'demo', serviceAccount: 'shop' });
    const client = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
    open.push({ stop: () => client.session.destroy() });
    const call = client.stream('delta', { authorization: `Bearer ${token}` });
    call.send({ node: { ...node, metadata: { NAMESPACE: 'demo' } }, typeUrl: TypeUrl.cluster });
    await istiod.waitFor({ event: 'response.sent', type: 'CDS' });
    expect(istiod.nodes[0]?.streams[0]).toMatchObject({
      identity: { spiffeId: 'spiffe://cluster.local/ns/demo/sa/shop', by: 'token', clusterId: 'Kubernetes' },
    });
    expect(istiod.rules.map(({ id }) => id)).toEqual(['auth']);
  });
});
