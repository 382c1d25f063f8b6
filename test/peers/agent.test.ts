import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundledCommand, removeBundledCommand } from '../bundled-command.ts';
import { realEnvoy } from '../envoy/real-envoy.ts';
import { agentFiles, type AgentFiles } from './agent-files.ts';
import { openMesh, type Mesh } from './mesh.ts';
import { whyNoNamespace } from './namespace.ts';
import { buildLimitMs, peerBinary, whyNoPeers } from './peer-binary.ts';
import type { Running } from './running-process.ts';

const workload = join(import.meta.dirname, 'mtls-workload.yaml');
const account = { namespace: 'demo', serviceAccount: 'web' };
const agents = ['pilot-agent', 'fake-istiod agent'] as const;
/** Envoy's pauses between two tries grow up to 30 s. */
const recoveryMs = 90_000;

const whyNot = whyNoPeers() ?? whyNoNamespace();
if (whyNot !== undefined) console.log(`our agent is not compared with pilot-agent: ${whyNot}`);

describe.skipIf(whyNot !== undefined).each(agents)('%s, in the same pod', (which) => {
  let program: string;
  let pilotAgent: string;
  let envoy: string;
  beforeAll(async () => {
    [program, pilotAgent] = await Promise.all([bundledCommand(), peerBinary('pilot-agent')]);
    const found = await realEnvoy();
    if (found.kind !== 'binary') throw new Error('an agent starts Envoy itself: FAKE_ISTIOD_TEST_ENVOY has to be a version or a path');
    envoy = found.path;
  }, buildLimitMs);
  afterAll(removeBundledCommand);

  let mesh: Mesh;
  let files: AgentFiles;
  afterEach(async () => {
    await mesh?.close();
    files?.remove();
  });

  /** The same files, environment, ports and Envoy. */
  function startPod(): Running {
    const [command, args] =
      which === 'pilot-agent'
        ? [pilotAgent, ['proxy', 'sidecar', '--domain', 'demo.svc.cluster.local']]
        : [process.execPath, [program, 'agent', 'sidecar', '--domain', 'demo.svc.cluster.local']];
    return mesh.namespace.start(command, args, {
      cwd: files.folder,
      env: {
        POD_NAME: 'web-0',
        POD_NAMESPACE: account.namespace,
        SERVICE_ACCOUNT: account.serviceAccount,
        INSTANCE_IP: mesh.namespace.address,
        ISTIO_META_CLUSTER_ID: 'Kubernetes',
        PROXY_CONFIG: JSON.stringify({ binaryPath: envoy }),
      },
    });
  }

  it('is not ready with a token for another audience, says why in the same words, and recovers', async () => {
    mesh = await openMesh(program, workload);
    files = await agentFiles(mesh.pki);
    files.writeToken(await mesh.token(account, 'vault'));
    const kubelet = mesh.namespace.start(process.execPath, [
      join(import.meta.dirname, 'kubelet.mjs'),
      'agent=http://127.0.0.1:15020/healthz/ready',
      'pod=http://127.0.0.1:15021/healthz/ready',
      'envoy=http://127.0.0.1:15000/ready',
      'hello=http://127.0.0.1:15080/',
    ]);
    const agent = startPod();
    const unauthenticated = 'rpc error: code = Unauthenticated desc =';
    for (const words of [
      `error\tcitadelclient\tfailed to sign CSR: create certificate: ${unauthenticated} request authenticate failure`,
      'info\tcitadelclient\trecreated connection',
      `error\tcache\tresource:default failed to sign: create certificate: ${unauthenticated} request authenticate failure`,
      `warn\tsds\tfailed to warm certificate: failed to generate workload certificate: create certificate: ${unauthenticated}`,
      'info\txdsproxy\tconnected to delta upstream XDS server: istiod.istio-system.svc:15012\tid=1',
      `warn\txdsproxy\tupstream terminated with unexpected error ${unauthenticated} authentication failure`,
      'warn\tEnvoy proxy is NOT ready: config not received from XDS server (is Istiod running?): cds updates: 0 successful',
    ]) {
      await agent.line(new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')));
    }
    await kubelet.line(/^envoy 503 PRE_INITIALIZING$/);
    await kubelet.line(/^agent 503$/);
    await kubelet.line(/^pod refused$/);

    files.writeToken(await mesh.token(account, 'istio-ca'));
    await kubelet.line(/^pod 200$/, { withinMs: recoveryMs });
    await kubelet.line(/^agent 200$/);
    await kubelet.line(/^hello 200 hello over mTLS$/);
    await agent.line(/info\tReadiness succeeded in /);
    await agent.line(/info\tEnvoy proxy is ready/);
    expect(mesh.events('certificate.signed')).toEqual([expect.objectContaining({ identity: 'spiffe://cluster.local/ns/demo/sa/web' })]);
  }, 180_000);
});
