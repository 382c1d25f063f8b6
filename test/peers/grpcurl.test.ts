import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Response } from '../../src/protocol/response.ts';
import { cluster, clusterType, response } from '../wire/recorded-streams.ts';
import { served, afterwards, type Served } from '../wire/served.ts';

const run = promisify(execFile);
const module = join(import.meta.dirname, 'grpcurl');
const ads = 'envoy.service.discovery.v3.AggregatedDiscoveryService';

async function hasGo(): Promise<boolean> {
  return run('go', ['version']).then(
    () => true,
    () => false,
  );
}

/** The version that go.mod pins, built once into the user's cache folder. */
async function buildGrpcurl(): Promise<string> {
  const version = /grpcurl (v[\d.]+)/.exec(await readFile(join(module, 'go.mod'), 'utf8'))?.[1] ?? '';
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'fake-istiod');
  const binary = join(cache, `grpcurl-${version}`);
  if (existsSync(binary)) return binary;
  await mkdir(cache, { recursive: true });
  const fresh = `${binary}.${process.pid}`;
  await run('go', ['build', '-o', fresh, 'github.com/fullstorydev/grpcurl/cmd/grpcurl'], { cwd: module });
  await rename(fresh, binary);
  return binary;
}

const canBuild = await hasGo();
if (!canBuild) console.log('grpcurl is not tested: there is no Go to build it with');

describe.runIf(canBuild)('grpcurl', () => {
  let grpcurl: string;
  beforeAll(async () => {
    grpcurl = await buildGrpcurl();
  }, 600_000);

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
      ads,
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
