import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Response } from '../../src/protocol/response.ts';
import { cluster, clusterType, response } from '../wire/recorded-streams.ts';
import { served, afterwards, type Served } from '../wire/served.ts';
import { buildLimitMs, peerBinary, whyNoPeers } from './peer-binary.ts';

const run = promisify(execFile);
const ads = 'envoy.service.discovery.v3.AggregatedDiscoveryService';

const whyNot = whyNoPeers();
if (whyNot !== undefined) console.log(`grpcurl is not tested: ${whyNot}`);

describe.skipIf(whyNot !== undefined)('grpcurl', () => {
  let grpcurl: string;
  beforeAll(async () => {
    grpcurl = await peerBinary('grpcurl');
  }, buildLimitMs);

  async function call(...args: readonly string[]): Promise<string> {
    return (await run(grpcurl, [...args])).stdout;
  }

  /** Answers each first request. */
  async function answering(running: Served, parts: Partial<Response>): Promise<void> {
    const { description, port, requests } = await running.streams.opened.next();
    await requests.next();
    port.send(response(description.variant, parts));
  }

  it('lists the services', async () => {
    const { server } = await served();
    expect((await call('-plaintext', `127.0.0.1:${server.port}`, 'list')).trim().split('\n')).toEqual([
      'envoy.service.cluster.v3.ClusterDiscoveryService',
      ads,
      ...[
        'endpoint.v3.EndpointDiscoveryService',
        'extension.v3.ExtensionConfigDiscoveryService',
        'listener.v3.ListenerDiscoveryService',
        'route.v3.RouteDiscoveryService',
        'route.v3.ScopedRoutesDiscoveryService',
        'route.v3.VirtualHostDiscoveryService',
        'runtime.v3.RuntimeDiscoveryService',
        'secret.v3.SecretDiscoveryService',
      ].map((name) => `envoy.service.${name}`),
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ]);
  });

  it('describes a service and a message', async () => {
    const { server } = await served();
    const address = `127.0.0.1:${server.port}`;
    expect(await call('-plaintext', address, 'describe', ads)).toContain(
      'rpc DeltaAggregatedResources ( stream .envoy.service.discovery.v3.DeltaDiscoveryRequest )',
    );
    expect(await call('-plaintext', address, 'describe', 'envoy.config.cluster.v3.Cluster')).toContain(
      '.google.protobuf.Duration connect_timeout = 4',
    );
  });

  it.each([
    ['StreamAggregatedResources', { versionInfo: 'v1', nonce: 'n1', resources: [{ '@type': clusterType, name: 'c1' }] }],
    [
      'DeltaAggregatedResources',
      { systemVersionInfo: 'v1', nonce: 'n1', resources: [{ name: 'c1', resource: { '@type': clusterType, name: 'c1' } }] },
    ],
  ])('calls %s over plaintext, and over TLS with our root', async (method, expected) => {
    const running = await served();
    const folder = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
    afterwards(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'root.pem'), await running.server.rootCertificatePem());
    for (const transport of [['-plaintext'], ['-cacert', join(folder, 'root.pem')]]) {
      const request = JSON.stringify({ type_url: clusterType, node: { id: 'sidecar~10.0.0.1~me.demo~demo.svc.cluster.local' } });
      const output = call(...transport, '-d', request, `localhost:${running.server.port}`, `${ads}/${method}`);
      await answering(running, { resources: [cluster('c1')] });
      expect(JSON.parse(await output)).toMatchObject(expected);
    }
  });

  it('is told a status text as it was meant', async () => {
    const running = await served();
    running.streams.refusal = { code: 16, message: 'authentication failure: 100% "größer"' };
    const output = call('-plaintext', '-d', '{}', `127.0.0.1:${running.server.port}`, `${ads}/StreamAggregatedResources`);
    await expect(output).rejects.toMatchObject({
      stderr: expect.stringMatching(/Code: Unauthenticated\s+Message: authentication failure: 100% "größer"/),
    });
  });

  it('checks the health', async () => {
    const { server } = await served();
    const output = await call('-plaintext', `127.0.0.1:${server.port}`, 'grpc.health.v1.Health/Check');
    expect(JSON.parse(output)).toEqual({ status: 'SERVING' });
  });
});
