import { describe, expect, it } from 'vitest';
import { assignment } from '../../src/services/endpoints.ts';
import type { Mesh } from '../../src/services/mesh.ts';
import { meshOf, viewOf } from './mesh-of.ts';

const services = `services:
  - { name: s, ports: [80], endpoints: [{ address: 10.0.0.1, cluster: east }, { address: 10.0.0.2, cluster: west }] }
`;

function addresses(mesh: Mesh, metadata: Readonly<Record<string, string>> = {}): string[] {
  const [service] = mesh.services;
  const made = JSON.stringify(
    assignment(mesh, viewOf(metadata), service as NonNullable<typeof service>, {
      port: 80,
      name: 'http',
      protocol: 'http',
      targetPort: 80,
    }),
  );
  return [...made.matchAll(/"address":"([^"]+)","port_value":(\d+)/g)].map(([, host, port]) => `${host}:${port}`);
}

describe('The clusters of a mesh', () => {
  it('are known by their ids; of two with one id the second is ignored, endpoints and all, in the words of istiod', async () => {
    const mesh = await meshOf(`${services}mesh: { clusters: [{ name: east, id: K }, { name: west, id: K }] }`);
    expect(mesh.clusters).toEqual([{ name: 'east', id: 'K' }]);
    expect(mesh.ignored).toEqual([
      {
        name: 'west',
        id: 'K',
        text: 'ignoring cluster as it would overwrite the config cluster cluster=K config=istio-system/istio-remote-secret-west',
      },
    ]);
    expect(mesh.services[0]?.endpoints.map(({ address, cluster }) => [address, cluster])).toEqual([['10.0.0.1', 'K']]);
  });

  it('are told apart from the own one in those words', async () => {
    const mesh = await meshOf(`${services}mesh: { clusters: [{ name: own }, { name: east }, { name: west, id: east }] }`);
    expect(mesh.ignored.map(({ text }) => text)).toEqual([
      'cluster has already been registered cluster=east config=istio-system/istio-remote-secret-west',
    ]);
  });

  it('bring their network along, and their own gateway goes before others', async () => {
    const mesh = await meshOf(`${services}mesh:
  clusters: [{ name: east, network: n1 }, { name: west, network: n2 }]
  networks: { n2: [{ address: 203.0.113.1, cluster: east }, { address: 203.0.113.2, cluster: west }] }
`);
    expect(addresses(mesh, { NETWORK: 'n1' })).toEqual(['10.0.0.1:80', '203.0.113.2:15443']);
    expect(addresses(mesh, { NETWORK: 'n2' })).toEqual(['10.0.0.1:80', '10.0.0.2:80']);
  });
});
