import { afterEach, describe, expect, it } from 'vitest';
import { startFakeIstiod, TypeUrl, type FakeIstiod } from '../../src/index.ts';
import { RawClient, type Message, type RawCall } from '../wire/raw-client.ts';

const node = { id: 'sidecar~10.0.0.1~shop.demo~demo.svc.cluster.local', cluster: 'shop.demo' };
const discovery = 'envoy.service.discovery.v3';

/** Service, word of its methods, type, and whether it has all three methods. */
const services = [
  ['cluster.v3.ClusterDiscoveryService', 'Clusters', 'cluster', true],
  ['endpoint.v3.EndpointDiscoveryService', 'Endpoints', 'endpoint', true],
  ['listener.v3.ListenerDiscoveryService', 'Listeners', 'listener', true],
  ['route.v3.RouteDiscoveryService', 'Routes', 'route', true],
  ['route.v3.ScopedRoutesDiscoveryService', 'ScopedRoutes', 'scopedRoute', true],
  ['route.v3.VirtualHostDiscoveryService', 'VirtualHosts', 'virtualHost', false],
  ['secret.v3.SecretDiscoveryService', 'Secrets', 'secret', true],
  ['extension.v3.ExtensionConfigDiscoveryService', 'ExtensionConfigs', 'extensionConfig', true],
  ['runtime.v3.RuntimeDiscoveryService', 'Runtime', 'runtime', true],
] as const;

/** One resource of each type, under the name `one`. */
const serve = {
  clusters: [{ name: 'one' }],
  endpoints: [{ cluster_name: 'one' }],
  listeners: [{ name: 'one', address: { socket_address: { address: '127.0.0.1', port_value: 0 } } }],
  routes: [{ name: 'one' }],
  scoped_routes: [{ name: 'one', route_configuration_name: 'one', key: { fragments: [{ string_key: 'k' }] } }],
  virtual_hosts: [{ name: 'one', domains: ['*'] }],
  secrets: [{ name: 'one', generic_secret: { secret: { inline_string: 's' } } }],
  extension_configs: [{ name: 'one', typed_config: { '@type': 'type.googleapis.com/google.protobuf.Struct', value: {} } }],
  runtimes: [{ name: 'one', layer: { a: 1 } }],
};

const open: { stop(): Promise<void> | void }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

async function started(): Promise<{ istiod: FakeIstiod; client: RawClient }> {
  const istiod = await startFakeIstiod({ serve });
  const client = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
  open.push(istiod, { stop: () => client.close() });
  return { istiod, client };
}

function call(client: RawClient, service: string, method: string): RawCall {
  const kind = method.startsWith('Delta') ? 'Delta' : '';
  return client.call(
    `/envoy.service.${service}/${method}`,
    `${discovery}.${kind}DiscoveryRequest`,
    `${discovery}.${kind}DiscoveryResponse`,
  );
}

const typeIn = (response: Message): unknown => response['typeUrl'] ?? response['type_url'];
const count = (response: Message): number => (response['resources'] as readonly unknown[]).length;

describe.each(services)('The service %s', (service, word, type, whole) => {
  it.runIf(whole)('streams its type, whole state, to who does not name it', async () => {
    const { client } = await started();
    const stream = call(client, service, `Stream${word}`);
    stream.send({ node, resourceNames: ['one'] });
    const response = await stream.next();
    expect([typeIn(response), count(response)]).toEqual([TypeUrl[type], 1]);
  });

  it('streams its type incrementally', async () => {
    const { client, istiod } = await started();
    const stream = call(client, service, `Delta${word}`);
    stream.send({ node, typeUrl: TypeUrl[type], resourceNamesSubscribe: ['one'] });
    const response = await stream.next();
    expect([typeIn(response), count(response)]).toEqual([TypeUrl[type], 1]);
    expect(await istiod.waitFor({ type: 'stream.opened' })).toMatchObject({ service: `envoy.service.${service}` });
  });

  it.runIf(whole)('gives it once, in a unary call that waits for what is withheld', async () => {
    const { client, istiod } = await started();
    istiod.withhold(TypeUrl[type]);
    const fetch = call(client, service, `Fetch${word}`);
    fetch.send({ node, resourceNames: ['one'] });
    fetch.http2.end();
    await istiod.waitFor({ type: 'response.withheld', typeUrl: TypeUrl[type] });
    expect(fetch.responses.all).toEqual([]);
    istiod.release(TypeUrl[type]);
    expect(count(await fetch.next())).toBe(1);
    expect(await fetch.status).toMatchObject({ code: 0 });
  });

  it('sends away who asks for another type', async () => {
    const { client } = await started();
    const stream = call(client, service, `Delta${word}`);
    stream.send({ node, typeUrl: 'type.googleapis.com/google.protobuf.Empty' });
    expect(await stream.status).toMatchObject({ code: 3, text: expect.stringContaining(`serves ${TypeUrl[type]}`) });
  });
});

it('A method that the service does not have is unknown', async () => {
  const { client } = await started();
  const fetch = call(client, 'route.v3.VirtualHostDiscoveryService', 'FetchVirtualHosts');
  fetch.send({ node });
  expect(await fetch.status).toMatchObject({ code: 12 });
});
