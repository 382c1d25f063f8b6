import { afterEach, describe, expect, it } from 'vitest';
import { startFakeIstiod, TypeUrl, type FakeIstiod } from '../../src/index.ts';
import { bothVariants } from '../protocol/model-client.ts';
import { scenarioOf } from '../script/written.ts';
import { meshOf } from '../services/mesh-of.ts';
import { messageType } from '../../src/protobuf/message-type.ts';
import { RawClient, type Message, type RawCall } from '../wire/raw-client.ts';

const open: { stop(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function start(text: string): Promise<FakeIstiod> {
  const istiod = await startFakeIstiod({ scenario: await scenarioOf(`title: t\n${text}`) });
  open.push(istiod);
  return istiod;
}

/** A stream of a node at `ip`, with what it says of itself. */
async function connect(
  istiod: FakeIstiod,
  variant: 'sotw' | 'delta',
  ip: string,
  metadata: Readonly<Record<string, string>> = {},
): Promise<RawCall> {
  const client = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
  open.push({ stop: () => client.session.destroy() });
  const call = client.stream(variant);
  const fields = Object.fromEntries(Object.entries(metadata).map(([key, stringValue]) => [key, { stringValue }]));
  const id = `sidecar~${ip}~web.demo~demo.svc.cluster.local`;
  call.send({ node: { id, cluster: 'web.demo', metadata: { fields } }, typeUrl: TypeUrl.cluster });
  return call;
}

const clusterType = messageType('envoy.config.cluster.v3.Cluster');

/** Names of the clusters in a response, with the connect timeout where it is not a whole number of seconds. */
function clustersIn(response: Message): string[] {
  const resources = response['resources'] as readonly { readonly value?: Uint8Array; readonly resource?: { readonly value: Uint8Array } }[];
  return resources.map((any) => {
    const { name } = clusterType.toObject(clusterType.decode(any.value ?? any.resource?.value ?? new Uint8Array()));
    return String(name);
  });
}

describe.each(bothVariants)('What depends on the node, in %s,', (variant) => {
  it('has the words of each node in it', async () => {
    const istiod = await start(`serve:
  clusters:
    - { name: 'of-\${node.metadata.NAMESPACE:-nobody}', connect_timeout: 1s }
    - { name: fixed, connect_timeout: 1s }
`);
    const [one, other, none] = [
      await connect(istiod, variant, '10.0.0.1', { NAMESPACE: 'a' }),
      await connect(istiod, variant, '10.0.0.2', { NAMESPACE: 'b' }),
      await connect(istiod, variant, '10.0.0.3'),
    ];
    expect(clustersIn(await one.next())).toEqual(['of-a', 'fixed']);
    expect(clustersIn(await other.next())).toEqual(['of-b', 'fixed']);
    expect(clustersIn(await none.next())).toEqual(['of-nobody', 'fixed']);
  });

  it('is each proxy its part of the services, with plain resources beside and over them', async () => {
    const istiod = await start(`services:
  - { name: hello, ports: [80], endpoints: [10.0.0.1] }
serve:
  clusters: [{ name: mine }, { name: BlackHoleCluster, connect_timeout: 2s }]
`);
    const names = clustersIn(await (await connect(istiod, variant, '10.0.0.1')).next());
    expect(names).toContain('inbound|80||');
    expect(names.filter((name) => name === 'mine' || name === 'BlackHoleCluster')).toEqual(['mine', 'BlackHoleCluster']);
    expect(clustersIn(await (await connect(istiod, variant, '10.0.0.2')).next())).not.toContain('inbound|80||');
  });

  it('is pushed when the services change, and not where that changes nothing', async () => {
    const istiod = await start(`services:
  - { name: hello, ports: [80], endpoints: [10.0.0.1] }
`);
    const call = await connect(istiod, variant, '10.0.0.2');
    const first = await call.next();
    call.send({ typeUrl: TypeUrl.cluster, responseNonce: first['nonce'] });
    await istiod.waitFor({ type: 'response.acked' });
    // The proxy hears of it by EDS alone, to which it did not subscribe.
    const moved = await meshOf('services: [{ name: hello, ports: [80], endpoints: [10.0.0.7] }]');
    istiod.perform({ kind: 'services', mesh: moved });
    istiod.perform({ kind: 'services', mesh: await meshOf('services: [{ name: other, ports: [80] }]') });
    const pushed = await call.next();
    expect(clustersIn(pushed).filter((name) => name.startsWith('outbound|'))).toEqual(['outbound|80||other.default.svc.cluster.local']);
    const sent = istiod.timeline.events.filter(({ event }) => event === 'response.sent');
    expect(sent).toHaveLength(2);
  });

  it('is replaced by a publish of the whole type', async () => {
    const istiod = await start('services: [{ name: hello, ports: [80] }]\n');
    istiod.publish({ clusters: [{ name: 'alone' }] });
    expect(clustersIn(await (await connect(istiod, variant, '10.0.0.2')).next())).toEqual(['alone']);
  });

  it('that cannot be made for a node is told, and the node is served the rest', async () => {
    const istiod = await start(`serve:
  clusters: [{ name: fixed }]
  listeners:
    - { name: l, address: { socket_address: { address: 127.0.0.1, port_value: '\${node.metadata.PORT}' } } }
`);
    const call = await connect(istiod, variant, '10.0.0.1', { PORT: 'eighty' });
    expect(clustersIn(await call.next())).toEqual(['fixed']);
    expect(await istiod.waitFor({ type: 'content.failed' })).toMatchObject({
      node: 'sidecar~10.0.0.1~web.demo~demo.svc.cluster.local',
      reason: expect.stringContaining('eighty'),
    });
  });
});
