import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { realEnvoy } from '../envoy/real-envoy.ts';
import { agentFiles, type AgentFiles } from './agent-files.ts';
import { bundledCommand, removeBundledCommand } from '../bundled-command.ts';
import { openMesh, type Mesh } from './mesh.ts';
import { whyNoNamespace } from './namespace.ts';
import { buildLimitMs, peerBinary, whyNoPeers } from './peer-binary.ts';
import type { Running } from './running-process.ts';

const workload = join(import.meta.dirname, 'mtls-workload.yaml');
const account = { namespace: 'demo', serviceAccount: 'web' };
const identity = 'spiffe://cluster.local/ns/demo/sa/web';
const variants = ['delta', 'sotw'] as const;
/** Envoy's pauses between two tries grow up to 30 s. */
const recoveryMs = 90_000;

const whyNot = whyNoPeers() ?? whyNoNamespace();
if (whyNot !== undefined) console.log(`pilot-agent is not tested: ${whyNot}`);

describe.skipIf(whyNot !== undefined)('pilot-agent', () => {
  let program: string;
  let pilotAgent: string;
  let envoy: string;
  beforeAll(async () => {
    [program, pilotAgent] = await Promise.all([bundledCommand(), peerBinary('pilot-agent')]);
    const found = await realEnvoy();
    if (found.kind !== 'binary') throw new Error('pilot-agent starts Envoy itself: FAKE_ISTIOD_TEST_ENVOY has to be a version or a path');
    envoy = found.path;
  }, buildLimitMs);
  afterAll(removeBundledCommand);

  let mesh: Mesh;
  let files: AgentFiles;
  async function openPodOf(init: readonly string[] = []): Promise<void> {
    mesh = await openMesh(program, workload, init);
    files = await agentFiles(mesh.pki);
  }
  afterEach(async () => {
    await mesh?.close();
    files?.remove();
  });

  /** A pod: pilot-agent, which starts Envoy. */
  function startPod(env: Readonly<Record<string, string>> = {}, proxyConfig: object = {}): Running {
    return mesh.namespace.start(pilotAgent, ['proxy', 'sidecar', '--domain', 'demo.svc.cluster.local'], {
      cwd: files.folder,
      env: {
        POD_NAME: 'web-0',
        POD_NAMESPACE: account.namespace,
        SERVICE_ACCOUNT: account.serviceAccount,
        INSTANCE_IP: mesh.namespace.address,
        ISTIO_META_CLUSTER_ID: 'Kubernetes',
        PROXY_CONFIG: JSON.stringify({ binaryPath: envoy, ...proxyConfig }),
        ...env,
      },
    });
  }

  function startKubelet(): Running {
    return mesh.namespace.start(process.execPath, [
      join(import.meta.dirname, 'kubelet.mjs'),
      'agent=http://127.0.0.1:15020/healthz/ready',
      'pod=http://127.0.0.1:15021/healthz/ready',
      'envoy=http://127.0.0.1:15000/ready',
      'hello=http://127.0.0.1:15080/',
    ]);
  }

  it.each(variants)(
    'gets its certificate from our CA, connects with its token, and brings Envoy to LIVE and its pod to ready (%s)',
    async (variant) => {
      await openPodOf();
      files.writeToken(await mesh.token(account, 'istio-ca'));
      const kubelet = startKubelet();
      const agent = startPod(speaking(variant));
      await kubelet.line(/^envoy 200 LIVE$/);
      await kubelet.line(/^agent 200$/);
      await kubelet.line(/^pod 200$/);
      await agent.line(/Envoy proxy is ready/);
      const believed = { identity, audiences: ['istio-ca'], clusterId: 'Kubernetes' };
      expect(mesh.events('token.accepted')).toEqual(
        expect.arrayContaining(['ca', 'xds'].map((service) => expect.objectContaining({ ...believed, service }))),
      );
      expect(mesh.events('certificate.signed')).toEqual([expect.objectContaining({ identity })]);
      expect(mesh.events('stream.opened')).toEqual([expect.objectContaining({ variant, secure: true })]);
      // From the one listener to the other over mTLS: each side shows the certificate and checks the other's with the root.
      await kubelet.line(/^hello 200 hello over mTLS$/);
    },
    90_000,
  );

  it('takes an EC certificate from an authority with an intermediate', async () => {
    await openPodOf(['--intermediate']);
    files.writeToken(await mesh.token(account, 'istio-ca'));
    const kubelet = startKubelet();
    startPod({ ECC_SIGNATURE_ALGORITHM: 'ECDSA' });
    await kubelet.line(/^hello 200 hello over mTLS$/);
  }, 90_000);

  it('is known by a certificate that it was given, without any token', async () => {
    await openPodOf();
    const kubelet = startKubelet();
    startPod({ PROV_CERT: await mesh.certificate(account) });
    await kubelet.line(/^hello 200 hello over mTLS$/);
    expect(mesh.events('certificate.accepted')).toEqual(
      expect.arrayContaining(['ca', 'xds'].map((service) => expect.objectContaining({ service, identity }))),
    );
    expect(mesh.events('token.accepted')).toEqual([]);
  }, 90_000);

  it('gets its certificate over plaintext, too, where istiod would have no CA', async () => {
    await openPodOf();
    files.writeToken(await mesh.token(account, 'istio-ca'));
    const kubelet = startKubelet();
    startPod({}, { controlPlaneAuthPolicy: 'NONE', discoveryAddress: '127.0.0.1:15010' });
    await kubelet.line(/^hello 200 hello over mTLS$/);
    expect(mesh.events('connection.accepted').map(({ protocol }) => protocol)).not.toContain('tls');
    expect(mesh.events('certificate.signed')).toEqual([expect.objectContaining({ identity })]);
  }, 90_000);

  it.each(variants)(
    'stays not ready with a token for another audience, and recovers when the token is corrected (%s)',
    async (variant) => {
      await openPodOf();
      const elsewhere = 'https://kubernetes.default.svc';
      files.writeToken(await mesh.token(account, elsewhere));
      const kubelet = startKubelet();
      const agent = startPod(speaking(variant));
      await agent.line(/failed to sign CSR: .*code = Unauthenticated desc = request authenticate failure/);
      await agent.line(/xdsproxy.*code = Unauthenticated desc = authentication failure/);
      await agent.line(/Envoy proxy is NOT ready: config not received from XDS server \(is Istiod running\?\)/);
      await kubelet.line(/^envoy 503 PRE_INITIALIZING$/);
      expect(lastAnswers(kubelet)).toEqual({ envoy: '503 PRE_INITIALIZING', agent: '503', pod: 'refused', hello: 'refused' });
      const rejected = { audiences: [elsewhere], wanted: ['istio-ca'] };
      expect(mesh.events('token.rejected')).toEqual(
        expect.arrayContaining(['ca', 'xds'].map((service) => expect.objectContaining({ ...rejected, service }))),
      );
      expect([...mesh.events('token.accepted'), ...mesh.events('certificate.signed')]).toEqual([]);

      files.writeToken(await mesh.token(account, 'istio-ca'));
      await kubelet.line(/^pod 200$/, { withinMs: recoveryMs });
      await kubelet.line(/^envoy 200 LIVE$/);
      await kubelet.line(/^agent 200$/);
      await agent.line(/Envoy proxy is ready/);
      expect(mesh.events('certificate.signed')).toEqual([expect.objectContaining({ identity })]);
    },
    180_000,
  );
});

/** pilot-agent decides how its Envoy speaks xDS. */
function speaking(variant: 'delta' | 'sotw'): Readonly<Record<string, string>> {
  return { ISTIO_DELTA_XDS: String(variant === 'delta') };
}

/** Name of each probe → its newest answer. */
function lastAnswers(kubelet: Running): Readonly<Record<string, string>> {
  return Object.fromEntries(kubelet.lines.map((line) => line.split(/ (.*)/).slice(0, 2)));
}
