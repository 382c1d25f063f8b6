import { describe, expect, it } from 'vitest';
import { contentFor, contentKey } from '../../src/services/node-content.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import type { Mesh } from '../../src/services/mesh.ts';
import { meshOf } from './mesh-of.ts';

const services = `services:
  - { name: echo, namespace: shop, ports: [{ port: 7070, name: grpc }], endpoints: [10.0.0.1:17070] }
`;
const node = (namespace: string, metadata: Readonly<Record<string, string>> = { GENERATOR: 'grpc' }) => ({
  id: `sidecar~10.0.0.1~a.${namespace}~${namespace}.svc.cluster.local`,
  cluster: '',
  metadata,
});

async function namesFor(mesh: Mesh, namespace: string): Promise<Record<string, readonly string[]>> {
  const found = contentFor({ kind: 'services', mesh }, node(namespace));
  const named = (typeUrl: string): readonly string[] => found.filter((each) => each.typeUrl === typeUrl).map(({ name }) => name);
  return { CDS: named(TypeUrl.cluster), EDS: named(TypeUrl.endpoint), LDS: named(TypeUrl.listener), RDS: named(TypeUrl.route) };
}

describe('An application that speaks gRPC without a proxy', () => {
  it('gets a listener for each name of a service, and one cluster and route by the name that istiod gives it', async () => {
    const mesh = await meshOf(services);
    const key = 'outbound|7070||echo.shop.svc.cluster.local';
    expect(await namesFor(mesh, 'shop')).toEqual({
      CDS: [key],
      EDS: [key],
      LDS: [
        'echo.shop.svc.cluster.local:7070',
        'echo:7070',
        'echo.shop:7070',
        'echo.shop.svc:7070',
        'xds.istio.io/grpc/lds/inbound/0.0.0.0:17070',
        'xds.istio.io/grpc/lds/inbound/[::]:17070',
      ],
      RDS: [key],
    });
    expect((await namesFor(mesh, 'other'))['LDS']).not.toContain('echo:7070');
  });

  it('is not served what a sidecar in its place is', async () => {
    const content = { kind: 'services', mesh: await meshOf(services) } as const;
    expect(contentKey(content, node('shop'))).not.toBe(contentKey(content, node('shop', {})));
    expect(contentFor(content, node('shop', {})).map(({ name }) => name)).toContain('virtualInbound');
  });
});
