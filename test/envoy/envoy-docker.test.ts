import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/envoy/bootstrap.ts';
import { containerLabel, containerRuntime } from '../../src/envoy/container.ts';
import { docker } from '../../src/envoy/docker-cli.ts';
import { defaultEnvoyVersion } from '../../src/envoy/envoy-binary.ts';
import type { EnvoyBinary } from '../../src/envoy/envoy-binary.ts';
import { findEnvoy } from '../../src/envoy/find.ts';
import { startEnvoy } from '../../src/envoy/process.ts';
import { runScenario } from '../../src/runner/run.ts';
import { loadScenario } from '../../src/script/load.ts';
import { findScenario } from '../../src/script/packaged.ts';
import { wordsOf } from './packaged-runs.ts';

const image = `envoyproxy/envoy:v${defaultEnvoyVersion}`;
let trouble: string | undefined;
let envoy: EnvoyBinary & { kind: 'docker' };
beforeAll(async () => {
  try {
    // Nothing is pulled: where the image is not there, these tests say so.
    const found = await findEnvoy({ wanted: `docker:${image}`, install: false });
    if (found.kind === 'docker') envoy = found;
  } catch (error) {
    trouble = (error as Error).message;
  }
});

async function ours(): Promise<string> {
  return (await docker(['ps', '-aq', '--filter', `label=${containerLabel}`])).stdout.trim();
}

describe('Envoy in a container', () => {
  it('is the official image, with the version that it says it has', ({ skip }) => {
    if (trouble) return skip(trouble);
    expect(envoy).toEqual({ kind: 'docker', image, version: defaultEnvoyVersion, source: 'docker' });
  });

  it('runs on this machine’s network, can be asked, and leaves no container', async ({ skip }) => {
    if (trouble) return skip(trouble);
    const child = await startEnvoy({ bootstrap: bootstrap({ host: '127.0.0.1', port: 1 }), envoy });
    expect(await child.admin.serverInfo()).toMatchObject({ state: 'PRE_INITIALIZING', version: defaultEnvoyVersion });
    expect(await ours()).not.toBe('');
    await child.stop();
    expect(await ours()).toBe('');
    expect(child.exit).toEqual({ code: 0, signal: null });
  });

  it('tells Envoy’s own words when it exits', async ({ skip }) => {
    if (trouble) return skip(trouble);
    await expect(startEnvoy({ bootstrap: bootstrap({ adsCluster: 'istiod-xds' }), envoy })).rejects.toMatchObject({
      code: 'envoy.exited',
      message: expect.stringContaining("exited with code 1: Unknown gRPC client cluster 'istiod-xds'"),
    });
    expect(await ours()).toBe('');
  });

  it('publishes its admin port where containers live in a virtual machine', async ({ skip }) => {
    if (trouble) return skip(trouble);
    const dir = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
    const plain = bootstrap({ host: 'localhost', port: 15012 });
    const runtime = await containerRuntime(
      { envoy, file: join(dir, 'bootstrap.json'), bootstrap: plain, dir, args: [], env: process.env },
      'darwin',
    );
    try {
      expect((await docker(['start', runtime.args.at(-1) ?? ''])).code).toBe(0);
      expect(await runtime.adminUrl()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    } finally {
      await runtime.dispose();
      await rm(dir, { recursive: true, force: true });
    }
    expect(await ours()).toBe('');
  });

  it('sees a token file that is written anew outside', async ({ skip }) => {
    if (trouble) return skip(trouble);
    const result = await runScenario(await loadScenario(await findScenario('reject-audience')), { variant: 'delta', envoy });
    expect(result.ok, wordsOf(result)).toBe(true);
  });
});
