import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledCommand, removeBundledCommand } from '../bundled-command.ts';
import { runProgram } from './fake-istiod-program.ts';
import { openMesh, type Mesh } from './mesh.ts';
import { whyNoNamespace } from './namespace.ts';
import { buildLimitMs, peerBinary, whyNoPeers } from './peer-binary.ts';

/** Whom istioctl says it is, in the node of its first request. */
const istioctlAccount = { namespace: 'istio-system', serviceAccount: 'default' };

const whyNot = whyNoPeers() ?? whyNoNamespace();
if (whyNot !== undefined) console.log(`istioctl is not tested: ${whyNot}`);

describe.skipIf(whyNot !== undefined)('istioctl', () => {
  let istioctl: string;
  let program: string;
  let mesh: Mesh;
  beforeAll(async () => {
    [program, istioctl] = await Promise.all([bundledCommand(), peerBinary('istioctl')]);
    mesh = await openMesh(program, 'ready');
  }, buildLimitMs);
  afterAll(async () => {
    await mesh?.close();
    removeBundledCommand();
  });

  /** `istioctl proxy-status` without a Kubernetes. */
  async function proxyStatus(...words: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
    const running = mesh.namespace.start(istioctl, ['proxy-status', '--revision', 'default', '--timeout', '2s', ...words], {
      env: { KUBECONFIG: join(mesh.pki, 'there-is-none') },
    });
    const code = await running.ended;
    return { code, text: running.lines.join('\n') };
  }

  const overTls = (folder: string): Promise<{ readonly code: number | null; readonly text: string }> =>
    proxyStatus('--xds-address', 'localhost:15012', '--authority', 'istiod.istio-system.svc', '--cert-dir', folder);

  it('is let in with a certificate of the account that it says it is', async () => {
    const before = mesh.istiod.lineCount;
    const { text } = await overTls(await mesh.certificate(istioctlAccount));
    // Whatever it is told of proxies: it asked, and it was istioctl that went away.
    expect(text).not.toMatch(/code = /);
    await mesh.istiod.line(/"request.received".*"typeUrl":"istio.io\/debug\/syncz"/, { after: before });
    expect(await mesh.istiod.line(/"stream.closed"/, { after: before })).toContain('"by":"client"');
    expect(mesh.events('certificate.accepted')).toContainEqual(
      expect.objectContaining({ service: 'xds', identity: 'spiffe://cluster.local/ns/istio-system/sa/default' }),
    );
  });

  it.each([
    { namespace: 'demo', serviceAccount: 'default' },
    { namespace: 'istio-system', serviceAccount: 'web' },
  ])('is told that it is somebody else with a certificate of $namespace/$serviceAccount', async (account) => {
    const { code, text } = await overTls(await mesh.certificate(account));
    const identity = `spiffe://cluster.local/ns/${account.namespace}/sa/${account.serviceAccount}`;
    expect(mesh.events('identity.mismatched')).toContainEqual(expect.objectContaining({ identity }));
    expect(text).toContain(
      `code = PermissionDenied desc = authorization failed: no identities ([${identity}]) matched istio-system/default`,
    );
    expect(code).not.toBe(0);
  });

  it('has no connection with a certificate of another trust domain', async () => {
    const { code, text } = await overTls(await mesh.certificate({ ...istioctlAccount, trustDomain: 'other.domain' }));
    expect(text).toMatch(/code = Unavailable/);
    expect(code).not.toBe(0);
    expect(mesh.events('handshake.failed').map(({ reason }) => reason)).toContainEqual(expect.stringContaining('other.domain'));
  });

  it('has no connection with a certificate of another authority', async () => {
    const pki = join(mesh.pki, '../other-pki');
    await runProgram(program, 'ca', 'init', '--pki', pki);
    const folder = await mesh.certificate(istioctlAccount, { pki });
    // It trusts our server; we do not trust it.
    copyFileSync(join(mesh.pki, 'root-cert.pem'), join(folder, 'root-cert.pem'));
    const { code, text } = await overTls(folder);
    expect(text).toMatch(/code = Unavailable/);
    expect(code).not.toBe(0);
    expect(mesh.events('handshake.failed').map(({ reason }) => reason)).toContainEqual(
      expect.stringContaining('x509: certificate signed by unknown authority'),
    );
  });

  it('does not trust a server whose root it does not know', async () => {
    const pki = join(mesh.pki, '../third-pki');
    await runProgram(program, 'ca', 'init', '--pki', pki);
    const { code, text } = await overTls(await mesh.certificate(istioctlAccount, { pki }));
    expect(text).toMatch(/code = Unavailable .*x509: certificate signed by unknown authority/);
    expect(code).not.toBe(0);
  });

  // istiod believes whoever comes over plaintext unless XDS_AUTH_PLAINTEXT is set, as it is here.
  it('is nobody over plaintext, where it shows no certificate', async () => {
    const { code, text } = await proxyStatus('--xds-address', '127.0.0.1:15010', '--plaintext');
    expect(text).toContain('code = Unauthenticated desc = authentication failure');
    expect(code).not.toBe(0);
  });
});
