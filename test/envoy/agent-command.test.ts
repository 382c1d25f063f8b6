import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bundledCommand, removeBundledCommand } from '../bundled-command.ts';
import { startFakeIstiod, type FakeIstiod } from '../../src/index.ts';
import { realEnvoy } from './real-envoy.ts';

const run = promisify(execFile);
let program: string;
let envoy: string;
let istiod: FakeIstiod;

beforeAll(async () => {
  program = await bundledCommand();
  const found = await realEnvoy();
  envoy = found.kind === 'binary' ? found.path : '';
  istiod = await startFakeIstiod({ scenario: 'ready', auth: true });
});
afterAll(async () => {
  await istiod?.stop();
  removeBundledCommand();
});

const account = { namespace: 'demo', serviceAccount: 'web' };

interface RunningAgent {
  readonly child: ChildProcess;
  readonly root: string;
  readonly ended: Promise<number | null>;
  /** What a pattern captures, in all that was printed until then. */
  until(pattern: RegExp): Promise<string>;
  putToken(audience: string): Promise<void>;
}

/** A pod's folder and the agent in it; on free ports, as a pod's environment says. */
async function startAgent(
  audience: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<RunningAgent> {
  const root = mkdtempSync(join(tmpdir(), 'fake-istiod-pod-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const secrets = join(root, 'var/run/secrets');
  for (const name of ['istio', 'tokens']) mkdirSync(join(secrets, name), { recursive: true });
  mkdirSync(join(root, 'etc/istio/pod'), { recursive: true });
  writeFileSync(join(root, 'etc/istio/pod/labels'), 'app="web"\n');
  writeFileSync(join(secrets, 'istio/root-cert.pem'), await istiod.rootCertificate());
  const putToken = async (to: string): Promise<void> =>
    writeFileSync(join(secrets, 'tokens/istio-token'), await istiod.token({ ...account, audiences: [to] }));
  await putToken(audience);
  const ports = ['--status-port', '0', '--admin-port', '0', '--ready-port', '0', '--prometheus-port', '0'];
  const child = spawn(process.execPath, [program, 'agent', '--root', root, '--shape', 'lab', '--envoy', envoy, ...ports, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      POD_NAME: 'web-0',
      POD_NAMESPACE: 'demo',
      SERVICE_ACCOUNT: 'web',
      INSTANCE_IP: '10.0.0.1',
      ISTIO_META_CLUSTER_ID: 'Kubernetes',
      ISTIO_META_FOO: 'bar',
      ECC_SIGNATURE_ALGORITHM: 'ECDSA',
      PROXY_CONFIG: JSON.stringify({ discoveryAddress: `localhost:${istiod.port}`, terminationDrainDuration: '0.1s' }),
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  const looks = new Set<() => void>();
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    output += piece;
    looks.forEach((look) => look());
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(output);
        if (found) resolve(found[1] ?? found[0]);
      };
      looks.add(look);
      void ended.then(() => reject(new Error(`ended without ${pattern}:\n${output}`)));
      look();
    });
  return { child, root, ended, until, putToken };
}

describe.skipIf(process.env['FAKE_ISTIOD_TEST_ENVOY']?.startsWith('docker'))('fake-istiod agent', () => {
  it.each([
    ['true', 'DELTA_GRPC'],
    ['false', 'GRPC'],
  ])("reads the pod's files and environment, is not ready with the wrong token, and heals (ISTIO_DELTA_XDS=%s)", async (delta, apiType) => {
    const agent = await startAgent('vault', { ISTIO_DELTA_XDS: delta });
    const port = await agent.until(/Opening status port (\d+)/);
    await agent.until(/failed to sign CSR: create certificate: rpc error: code = Unauthenticated desc = request authenticate failure/);
    await agent.until(
      /xdsproxy\tupstream terminated with unexpected error rpc error: code = Unauthenticated desc = authentication failure/,
    );
    const url = `http://127.0.0.1:${port}/healthz/ready`;
    expect((await fetch(url)).status).toBe(503);
    const bootstrap = JSON.parse(readFileSync(join(agent.root, 'etc/istio/proxy/envoy-rev.json'), 'utf8')) as Record<string, never>;
    expect(bootstrap['node']).toMatchObject({
      id: 'sidecar~10.0.0.1~web-0.demo~demo.svc.cluster.local',
      cluster: 'web.demo',
      metadata: { FOO: 'bar', LABELS: { app: 'web' } },
    });
    expect(bootstrap['dynamic_resources']).toMatchObject({ ads_config: { api_type: apiType } });
    const waiting = run(process.execPath, [program, 'agent', 'wait', '--url', url, '--period', '50ms', '--timeout', '40s']);
    await agent.putToken('istio-ca');
    expect((await waiting).stderr).toContain('Envoy is ready!');
    await agent.until(/Envoy proxy is ready/);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    expect(existsSync(join(agent.root, 'etc/istio/proxy/envoy-rev.json'))).toBe(false);
  });

  it('ends with the exit code of its Envoy', async () => {
    const agent = await startAgent('istio-ca', {}, ['--envoy-arg', '--no-such-option']);
    expect(await agent.ended).toBe(1);
  });

  it('says what is missing, and ends with 2', async () => {
    const missing = run(process.execPath, [program, 'agent', '--root', tmpdir(), '--status-port', '0']);
    await expect(missing).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('root CA file for XDS does not exist') as string,
    });
    const wrong = run(process.execPath, [program, 'agent'], { env: { ...process.env, PROXY_CONFIG: '{"discoveryAddress": [' } });
    await expect(wrong).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(/PROXY_CONFIG:1:\d+/) as string });
  });

  it('`wait` ends with 1 and the last reason where nobody answers', async () => {
    const waiting = run(process.execPath, [
      program,
      'agent',
      'wait',
      '--url',
      'http://127.0.0.1:1/',
      '--period',
      '10ms',
      '--timeout',
      '100ms',
    ]);
    await expect(waiting).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Last error: connect ECONNREFUSED 127.0.0.1:1') as string,
    });
  });
});
