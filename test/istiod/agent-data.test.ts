import { afterEach, expect, it } from 'vitest';
import { startFakeIstiod, TypeUrl } from '../../src/index.ts';
import { RawClient, type Message } from '../wire/raw-client.ts';

const open: { stop(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

const node = { id: 'sidecar~10.0.0.1~web.demo~demo.svc.cluster.local', cluster: 'web.demo' };
const namesIn = (response: Message): unknown[] => (response['resources'] as readonly { name: string }[]).map(({ name }) => name);

it("The scenario data-for-agents serves each of istio's own types to who asks, under the name that istiod gives it", async () => {
  const istiod = await startFakeIstiod({ scenario: 'data-for-agents' });
  const client = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
  open.push(istiod, { stop: () => client.close() });
  const stream = client.stream('delta');
  const told: Record<string, unknown> = {};
  for (const type of ['nameTable', 'proxyConfig', 'address', 'workload', 'authorization'] as const) {
    stream.send({ node, typeUrl: TypeUrl[type] });
    told[type] = namesIn(await stream.next());
  }
  expect(told).toEqual({
    nameTable: [''],
    proxyConfig: [''],
    address: ['default/hello.default.svc.cluster.local'],
    workload: ['Kubernetes//Pod/default/hello-1'],
    authorization: ['default/allow-nobody'],
  });
  // What is reported of a proxy's health is heard, and never answered: the next answer is that to CDS.
  stream.send({ typeUrl: TypeUrl.healthInformation });
  stream.send({ typeUrl: TypeUrl.cluster });
  expect(namesIn(await stream.next())).toEqual(['first']);
});
