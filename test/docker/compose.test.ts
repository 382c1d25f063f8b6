import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { docker } from '../../src/envoy/docker-cli.ts';
import { composed, dockerMissing, said, until } from './composed.ts';

let missing: string | undefined;
beforeAll(async () => {
  missing = await dockerMissing(true);
});
beforeEach(({ skip }) => {
  if (missing) skip(missing);
});

const upToVerdict = ['up', '--exit-code-from', 'verdict', '--timeout', '2'];

/** A folder with this scenario in it. */
function folderWith(name: string, text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'fake-istiod-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, `${name}.yaml`), text);
  // The container's user is another one.
  chmodSync(dir, 0o755);
  return dir;
}

describe('docker compose up to the verdict', () => {
  it.each(['plain', 'tls', 'broken-network'])('ends with 0 for the profile %s', async (profile) => {
    const result = await composed(profile).run(upToVerdict);
    expect(said(result)).toMatch(/1 as expected/);
    expect(said(result)).toMatch(new RegExp(`✓  ${profile} +delta +1\\.`));
    expect(result.code).toBe(0);
  });

  it.each([
    ['distinct-cluster-id', 'delta', 0, /✓ {2}distinct-cluster-id +delta /],
    ['same-cluster-id', 'sotw', 0, /✓ {2}same-cluster-id +sotw /],
    ['two-networks', 'delta', 2, /two-networks has the Envoys east, west, lost, and east, west, west-2 were given/],
  ] as const)('plays %s in the profile multicluster, by three Envoys, with %s: %i', async (scenario, variant, code, words) => {
    const compose = composed('multicluster', { SCENARIO: scenario, VARIANT: variant });
    const services = ['clusters-verdict', 'clusters-east', 'clusters-west', 'clusters-west-2'];
    const attached = ['--attach', 'clusters-verdict', '--exit-code-from', 'clusters-verdict'];
    const result = await compose.run(['up', ...attached, '--timeout', '2', ...services]);
    expect(said(result)).toMatch(words);
    // A verdict that ends before Compose has begun to watch it, as one of a wrong command line may, is no code for `up`: the container has it.
    const ended = await compose.run(['ps', '--all', '--format', '{{.ExitCode}}', 'clusters-verdict']);
    expect(ended.stdout.trim()).toBe(String(code));
  });

  it.each([
    ['withhold-first-lds', 'plain', 'sotw'],
    ['reject-audience', 'plain', 'delta'],
    ['mtls-ready', 'tls', 'delta'],
    ['istiod-down', 'plain', 'delta'],
  ])('plays the packaged scenario %s by its name', async (scenario, profile, variant) => {
    const result = await composed(profile, { SCENARIO: scenario, VARIANT: variant }).run(upToVerdict);
    expect(said(result)).toMatch(new RegExp(`✓  ${scenario} +${variant} `));
    expect(result.code).toBe(0);
  });

  it('ends with 1 and the reason where it does not come as expected', async () => {
    const text = ['title: Expects what cannot be', 'expect:', '  - { state: DRAINING, within: 2s }', 'timeout: 5s', ''].join('\n');
    const result = await composed('plain', { SCENARIO: 'wrong', SCENARIO_DIR: folderWith('wrong', text) }).run(upToVerdict);
    expect(said(result)).toMatch(/✗ Envoy is DRAINING within 2 s\./);
    expect(said(result)).toMatch(/2 s after the start Envoy was (LIVE|PRE_INITIALIZING)/);
    expect(result.code).toBe(1);
  });

  it('says which scenario there is not, with the nearest name, and starts no Envoy', async () => {
    const compose = composed('plain', { SCENARIO: 'redy' });
    const result = await compose.run(upToVerdict);
    expect(result.code).not.toBe(0);
    expect(said(result)).toMatch(/istiod-1 exited \(2\)/);
    expect(said(await compose.run(['logs', 'istiod']))).toContain(
      'there is no file redy, and no scenario, in /scenarios or packaged, of that name. Did you mean ready?',
    );
    expect(await docker(['inspect', '--format', '{{.State.StartedAt}}', await compose.containerOf('envoy')])).toMatchObject({
      stdout: expect.stringMatching(/^0001-/) as string,
    });
  });

  it('says which port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => void (await new Promise((resolve) => server.close(resolve))));
    const { port } = server.address() as AddressInfo;
    const result = await composed('plain', { CONTROL_PORT: String(port) }).run(upToVerdict);
    expect(said(result)).toContain(`127.0.0.1:${port}`);
    expect(result.code).not.toBe(0);
  });
});

describe('the lab of docker-compose.yml, by hand', () => {
  it('goes from PRE_INITIALIZING to LIVE when CDS is released', async () => {
    const compose = composed(undefined, { SCENARIO: 'never-ready' });
    expect((await compose.run(['up', '--detach'])).code).toBe(0);
    const admin = await compose.url('client', 15_000);
    await until(`${admin}/ready`, (body, status) => status === 503 && body.trim() === 'PRE_INITIALIZING');
    expect(await compose.run(['exec', '-T', 'istiod', 'fake-istiod', 'ctl', 'release', 'CDS'])).toMatchObject({ code: 0 });
    await until(`${admin}/ready`, (body, status) => status === 200 && body.trim() === 'LIVE');
  });

  it('is cut off when istiod is taken off the mesh, and heals when it is back', async () => {
    const compose = composed(undefined, { SCENARIO: 'ready' });
    expect((await compose.run(['up', '--detach', 'istiod', 'client', 'upstream', 'bootstrap'])).code).toBe(0);
    const mesh = `${compose.name}_mesh`;
    const istiod = await compose.containerOf('istiod');
    // The bootstrap is there before istiod goes.
    expect((await compose.run(['wait', 'bootstrap'])).stdout).toMatch(/0/);
    expect((await docker(['network', 'disconnect', mesh, istiod])).code).toBe(0);
    expect((await compose.run(['up', '--detach', '--no-deps', 'envoy'])).code).toBe(0);
    const admin = await compose.url('client', 15_000);
    await until(`${admin}/ready`, (body) => body.trim() === 'PRE_INITIALIZING');
    await until(`${admin}/stats?filter=cluster.xds-grpc.(update_attempt|membership_total)`, (body) => /update_attempt: [1-9]/.test(body));
    expect((await docker(['network', 'connect', '--alias', 'istiod.istio-system.svc', mesh, istiod])).code).toBe(0);
    await until(`${admin}/ready`, (body) => body.trim() === 'LIVE', 60_000);
  });
});
