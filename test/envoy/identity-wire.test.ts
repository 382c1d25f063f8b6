import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { bootstrap, startEnvoy, type BootstrapTls, type EnvoyBinary, type EnvoyProcess } from '../../src/envoy/index.ts';
import type { FakeIstiod } from '../../src/index.ts';
import type { Variant } from '../../src/protocol/request.ts';
import type { TlsPreset } from '../../src/script/command.ts';
import { bothVariants } from '../protocol/model-client.ts';
import { startAsItIs } from '../istiod/identity-client.ts';
import { Arrivals } from '../wire/arrivals.ts';
import { afterwards } from '../wire/served.ts';
import { realEnvoy } from './real-envoy.ts';

let binary: EnvoyBinary;
beforeAll(async () => {
  binary = await realEnvoy();
}, 300_000);

const account = { namespace: 'demo', serviceAccount: 'web' };
const empty = { clusters: [], listeners: [] };

interface Wish {
  readonly variant: Variant;
  readonly tls?: Partial<BootstrapTls>;
  readonly token?: string;
}

interface RunningEnvoy extends EnvoyProcess {
  readonly lines: Arrivals<string>;
}

/** An Envoy of our account that speaks TLS with `istiod` and trusts its root. */
async function envoyOf(istiod: FakeIstiod, { variant, tls, token }: Wish): Promise<RunningEnvoy> {
  const lines = new Arrivals<string>();
  const boot = bootstrap({
    host: istiod.host,
    port: istiod.port,
    variant,
    node: { namespace: account.namespace, metadata: { SERVICE_ACCOUNT: account.serviceAccount } },
    tls: { rootCert: await istiod.rootCertificate(), ...tls },
    ...(token === undefined ? {} : { initialMetadata: { authorization: `Bearer ${token}` } }),
  });
  const envoy = await startEnvoy({ bootstrap: boot, envoy: binary, onLog: (line) => lines.push(line) });
  afterwards(() => envoy.stop());
  return Object.assign(envoy, { lines });
}

async function certificateOf(istiod: FakeIstiod, trustDomain = 'cluster.local'): Promise<Partial<BootstrapTls>> {
  const { certificatePem: chain, privateKeyPem: privateKey } = await istiod.clientCertificate({ ...account, trustDomain });
  return { certificate: { chain, privateKey } };
}

/** Envoy lives by the real clock. */
function expired(afterMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(afterMs, resolve));
}

describe.each(bothVariants)('a real Envoy in %s', (variant) => {
  it('is LIVE by its client certificate', async () => {
    const istiod = await startAsItIs({ auth: { clientCertificate: 'demanded' }, serve: empty });
    const { admin } = await envoyOf(istiod, { variant, tls: await certificateOf(istiod) });
    await admin.awaitState('LIVE');
    await istiod.waitFor({ event: 'certificate.accepted', identity: 'spiffe://cluster.local/ns/demo/sa/web' });
  });

  it('is LIVE by its token', async () => {
    const istiod = await startAsItIs({ auth: true, serve: empty });
    const { admin } = await envoyOf(istiod, { variant, token: await istiod.token(account) });
    await admin.awaitState('LIVE');
    await istiod.waitFor({ event: 'token.accepted', identity: 'spiffe://cluster.local/ns/demo/sa/web' });
  });

  it("that is believed by nobody says so in istiod's words, and is LIVE when nobody asks any more", async () => {
    const istiod = await startAsItIs({ auth: true, serve: empty });
    const { admin, lines } = await envoyOf(istiod, { variant, token: await istiod.token({ ...account, audiences: ['vault'] }) });
    const line = await lines.next((text) => text.includes('gRPC config stream'));
    expect(line).toContain('16, authentication failure{via_upstream}');
    expect(await admin.state()).toBe('PRE_INITIALIZING');
    istiod.perform({ kind: 'auth', wish: 'off' });
    await admin.awaitState('LIVE');
  });

  it("that is another node than its token says so in istiod's words", async () => {
    const istiod = await startAsItIs({ auth: true, serve: empty });
    const { admin, lines } = await envoyOf(istiod, { variant, token: await istiod.token({ ...account, serviceAccount: 'shop' }) });
    const line = await lines.next((text) => text.includes('gRPC config stream'));
    expect(line).toContain(
      '7, authorization failed: no identities ([spiffe://cluster.local/ns/demo/sa/shop]) matched demo/web{via_upstream}',
    );
    expect(await admin.state()).toBe('PRE_INITIALIZING');
  });

  it('with a client certificate of another trust domain hears no status', async () => {
    const istiod = await startAsItIs({ auth: true, serve: empty });
    const { admin, lines } = await envoyOf(istiod, { variant, tls: await certificateOf(istiod, 'other.domain') });
    const failed = await istiod.waitFor({ event: 'handshake.failed' });
    expect(failed).toMatchObject({ reason: 'Could not verify certificate: no cert pool found for trust domain other.domain' });
    await lines.next((text) => text.includes('14, upstream connect error'));
    expect(await admin.state()).toBe('PRE_INITIALIZING');
    expect(istiod.timeline.events.some(({ event }) => event.startsWith('stream.'))).toBe(false);
  });

  it('is LIVE where no protocol is agreed on by ALPN', async () => {
    const istiod = await startAsItIs({ serve: empty });
    istiod.perform({ kind: 'tls', preset: 'no-alpn' });
    const { admin } = await envoyOf(istiod, { variant });
    await admin.awaitState('LIVE');
  });

  it.each<[preset: TlsPreset, stat: string, envoySays: string, weSay: string]>([
    ['unknown-ca', 'fail_verify_error', 'unable_to_get_local_issuer_certificate', 'does not trust our root certificate'],
    ['wrong-san', 'fail_verify_san', 'certificate_SANs_are_[somebody-else.example]', 'rejects our certificate'],
    ['expired', 'fail_verify_error', 'certificate_has_expired', 'takes our certificate for expired'],
    ['not-yet-valid', 'fail_verify_error', 'certificate_is_not_yet_valid', 'takes our certificate for expired or not yet valid'],
    ['alpn-http1', 'connection_error', 'ALERT_NO_APPLICATION_PROTOCOL', 'does not offer "http/1.1"'],
    ['client-cert-demanded', 'connection_error', 'ALERT_HANDSHAKE_FAILURE', 'shows no certificate, and one is demanded'],
  ])('waits while TLS is spoiled by %s, counts ssl.%s, and is LIVE when all is well', async (preset, stat, envoySays, weSay) => {
    const istiod = await startAsItIs({ serve: empty });
    istiod.perform({ kind: 'tls', preset });
    const failed = new Arrivals<string>();
    istiod.on((event) => event.event === 'handshake.failed' && failed.push(event.reason));
    const { admin, lines } = await envoyOf(istiod, { variant });
    const count = async (): Promise<number> => (await admin.stat(`cluster.xds-grpc.ssl.${stat}`)) ?? 0;
    expect(await failed.next()).toContain(weSay);
    await lines.next((text) => text.includes(envoySays));
    const before = await count();
    // An attempt begins when Envoy has counted the one before.
    while (failed.all.length < before + 2) await failed.next();
    expect(await count()).toBeGreaterThan(before);
    expect(await admin.state()).toBe('PRE_INITIALIZING');
    istiod.perform({ kind: 'tls', preset: 'ok' });
    await admin.awaitState('LIVE');
  });

  it('lives on when the certificate expires, and cannot come back after its connection was cut', async () => {
    const istiod = await startAsItIs({ serve: empty });
    istiod.perform({ kind: 'expire-certificate', afterMs: 1000 });
    const { admin, lines } = await envoyOf(istiod, { variant });
    await admin.awaitState('LIVE');
    const stream = istiod.sessions[0];
    // It ends at the full second after.
    await expired(2000);
    expect(istiod.sessions[0]).toBe(stream);
    istiod.perform({ kind: 'stop-server' });
    istiod.perform({ kind: 'start-server' });
    await istiod.waitFor({ event: 'handshake.failed' });
    await lines.next((text) => text.includes('certificate_has_expired'));
    expect(await admin.state()).toBe('LIVE');
    istiod.perform({ kind: 'tls', preset: 'ok' });
    await istiod.waitFor({ event: 'stream.opened', stream: 2 });
  });

  it('keeps its configuration when the root is a new one, and cannot come back', async () => {
    const istiod = await startAsItIs({ serve: empty });
    const { admin, lines } = await envoyOf(istiod, { variant });
    await admin.awaitState('LIVE');
    istiod.perform({ kind: 'rotate-root' });
    const failed = await istiod.waitFor({ event: 'handshake.failed' });
    expect(failed).toMatchObject({ reason: 'the client does not trust our root certificate (TLS alert "unknown ca")' });
    await lines.next((text) => text.includes('CERTIFICATE_VERIFY_FAILED'));
    expect(await admin.state()).toBe('LIVE');
    expect(await istiod.formerRootCertificates()).toHaveLength(1);
  });
});
