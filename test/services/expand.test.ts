import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/services/endpoints.ts';
import { expand } from '../../src/services/expand.ts';
import type { ProxyView } from '../../src/services/mesh.ts';
import { viewKey } from '../../src/services/proxy-view.ts';
import { meshOf, viewOf } from './mesh-of.ts';

const names = (list: readonly Json[]): unknown[] => list.map(({ name, cluster_name }) => name ?? cluster_name);

/** `address:port*weight` of an assignment, by locality. */
function addresses(list: readonly Json[], cluster: string): Record<string, string[]> {
  interface Assignment {
    readonly endpoints: readonly {
      readonly locality: Readonly<Record<string, string>>;
      readonly lb_endpoints: readonly {
        readonly endpoint: { readonly address: { readonly socket_address: { readonly address: string; readonly port_value: number } } };
        readonly load_balancing_weight: number;
      }[];
    }[];
  }
  const { endpoints } = list.find(({ cluster_name }) => cluster_name === cluster) as unknown as Assignment;
  return Object.fromEntries(
    endpoints.map(({ locality, lb_endpoints }) => [
      Object.values(locality).join('/'),
      lb_endpoints.map(({ endpoint: { address }, load_balancing_weight: weight }) => {
        const { address: host, port_value: port } = address.socket_address;
        return `${host}:${port}${weight === 1 ? '' : `*${weight}`}`;
      }),
    ]),
  );
}

const hello = `services:
  - { name: hello, ports: [80], endpoints: [10.0.0.1:8080, '[fd00::1]:8080', 10.0.0.2] }
  - { name: db, namespace: shop, address: 10.96.0.7, ports: [{ port: 5432, name: tcp-db, target_port: 15432 }], endpoints: [10.1.0.1] }
`;

describe('Services', () => {
  it("become clusters, listeners and routes with istiod's names", async () => {
    const { clusters, listeners, routes } = expand(await meshOf(hello), viewOf());
    expect(names(clusters)).toEqual([
      'outbound|80||hello.default.svc.cluster.local',
      'outbound|5432||db.shop.svc.cluster.local',
      'BlackHoleCluster',
      'PassthroughCluster',
      'InboundPassthroughCluster',
      'inbound|8080||',
    ]);
    expect(names(listeners)).toEqual(['10.96.0.7_5432', '0.0.0.0_80', 'virtualOutbound', 'virtualInbound']);
    expect(names(routes)).toEqual(['80']);
  });

  it('have their endpoints at the port that is theirs: own, target, or the service port', async () => {
    const { endpoints } = expand(await meshOf(hello), viewOf());
    expect(addresses(endpoints, 'outbound|80||hello.default.svc.cluster.local')).toEqual({
      '': ['10.0.0.1:8080', 'fd00::1:8080', '10.0.0.2:80'],
    });
    expect(addresses(endpoints, 'outbound|5432||db.shop.svc.cluster.local')).toEqual({ '': ['10.1.0.1:15432'] });
  });

  it('are called by every name that Kubernetes knows, the short one in their own namespace only', async () => {
    const domains = async (namespace: string): Promise<unknown> => {
      const [route] = expand(await meshOf(hello), viewOf({ NAMESPACE: namespace })).routes;
      return (route?.['virtual_hosts'] as readonly { readonly domains: unknown }[])[0]?.domains;
    };
    expect(await domains('default')).toEqual([
      ...['hello.default.svc.cluster.local', 'hello', 'hello.default', 'hello.default.svc', '240.240.0.1'].flatMap((each) => [
        each,
        `${each}:80`,
      ]),
    ]);
    expect(await domains('shop')).not.toContain('hello');
  });

  it('that say their protocol only by the name of the port are routed as istiod does', async () => {
    const { listeners } = expand(
      await meshOf(`services:
  - { name: a, ports: [{ port: 1, name: http-web }, { port: 2, name: grpc }, { port: 3, name: mongo-x }, { port: 4, name: strange }] }
`),
      viewOf(),
    );
    expect(names(listeners)).toEqual(['240.240.0.1_3', '240.240.0.1_4', '0.0.0.0_1', '0.0.0.0_2', 'virtualOutbound', 'virtualInbound']);
  });

  it('give a router its clusters and endpoints, and no listener', async () => {
    const view: ProxyView = { ...viewOf(), role: 'router' };
    const { clusters, endpoints, listeners, routes } = expand(await meshOf(hello), view);
    expect(names(clusters).at(-1)).toBe('BlackHoleCluster');
    expect([endpoints.length, listeners, routes]).toEqual([2, [], []]);
  });

  it('are reached through a listener for clients that know their proxy, each port by its number', async () => {
    const mesh = await meshOf(`${hello}mesh: { http_proxy_port: 15080, bind: 127.0.0.1 }`);
    const { listeners, routes } = expand(mesh, viewOf());
    expect([names(listeners).at(-1), names(routes)]).toEqual(['127.0.0.1_15080', ['80', 'http_proxy']]);
  });
});

const twoClusters = `services:
  - name: hello
    ports: [80]
    endpoints:
      - { address: 10.0.0.1, cluster: east, network: net-east, locality: eu/e1 }
      - { address: 10.0.0.1, cluster: west, network: net-west, locality: eu/w1, weight: 2 }
      - { address: 10.0.0.9, cluster: west, network: net-west, locality: eu/w1 }
      - { address: 10.0.0.8, cluster: east, network: net-east, ready: false }
  - { name: near, cluster_local: true, ports: [81], endpoints: [{ address: 10.0.0.3, cluster: east }, { address: 10.0.0.4, cluster: west }] }
  - { name: west-only, ports: [9090], endpoints: [{ address: 10.0.0.1, cluster: west }] }
mesh:
  networks: { net-west: [203.0.113.7, '203.0.113.8:443'] }
`;
const helloCluster = 'outbound|80||hello.default.svc.cluster.local';

describe('A proxy in a mesh of several clusters', () => {
  it('gets endpoints of all of them, those of another network by its gateways, weights added up', async () => {
    const mesh = await meshOf(twoClusters);
    const east = expand(mesh, viewOf({ CLUSTER_ID: 'east', NETWORK: 'net-east' }));
    expect(addresses(east.endpoints, helloCluster)).toEqual({
      'eu/e1': ['10.0.0.1:80'],
      'eu/w1': ['203.0.113.7:15443*3', '203.0.113.8:443*3'],
    });
    const west = expand(mesh, viewOf({ CLUSTER_ID: 'west', NETWORK: 'net-west' }));
    // No gateway of the eastern network is known: directly.
    expect(addresses(west.endpoints, helloCluster)).toEqual({ 'eu/e1': ['10.0.0.1:80'], 'eu/w1': ['10.0.0.1:80*2', '10.0.0.9:80'] });
  });

  it('that names no network goes through the gateways that are known', async () => {
    const { endpoints } = expand(await meshOf(twoClusters), viewOf({ CLUSTER_ID: 'east' }));
    expect(addresses(endpoints, helloCluster)['eu/w1']).toEqual(['203.0.113.7:15443*3', '203.0.113.8:443*3']);
  });

  it('gets of a cluster-local service the endpoints of its own cluster', async () => {
    const near = async (cluster: string): Promise<unknown> =>
      addresses(
        expand(await meshOf(twoClusters), viewOf({ CLUSTER_ID: cluster })).endpoints,
        'outbound|81||near.default.svc.cluster.local',
      );
    expect([await near('east'), await near('west'), await near('other')]).toEqual([{ '': ['10.0.0.3:81'] }, { '': ['10.0.0.4:81'] }, {}]);
  });

  it('is looked up by its address in the registry of its CLUSTER_ID: with a wrong one it gets the ports of a stranger, or none', async () => {
    const inbound = async (cluster: string): Promise<unknown[]> =>
      names(expand(await meshOf(twoClusters), viewOf({ CLUSTER_ID: cluster })).clusters).filter((name) =>
        String(name).startsWith('inbound|'),
      );
    expect(await inbound('east')).toEqual(['inbound|80||']);
    expect(await inbound('west')).toEqual(['inbound|80||', 'inbound|9090||']);
    expect(await inbound('Kubernetes')).toEqual([]);
  });

  it('shares its content with all that differ in nothing that matters', async () => {
    const mesh = await meshOf(twoClusters);
    const key = (metadata: Readonly<Record<string, string>>, ip?: string): string => viewKey(mesh, viewOf(metadata, ip));
    expect(key({ CLUSTER_ID: 'east' }, '10.9.9.1')).toBe(key({ CLUSTER_ID: 'east', APP: 'x' }, '10.9.9.2'));
    expect(new Set([key({ CLUSTER_ID: 'east' }), key({ CLUSTER_ID: 'west' }), key({ CLUSTER_ID: 'east', NETWORK: 'n' })]).size).toBe(3);
  });
});
