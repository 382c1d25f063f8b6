import { once } from 'node:events';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { authPolicy, type AuthPolicy } from '../../src/auth/policy.ts';
import { createAuthority, type CertificateWithKey, type IssueOptions } from '../../src/ca/authority.ts';
import { systemClock } from '../../src/clock.ts';
import { clusterType } from './recorded-streams.ts';
import { afterwards, named, served, type Served } from './served.ts';

const authority = createAuthority({ clock: systemClock });
const stranger = createAuthority({ clock: systemClock });
const web = { trustDomain: 'cluster.local', namespace: 'demo', serviceAccount: 'web' };
const webUri = 'spiffe://cluster.local/ns/demo/sa/web';

function asking(policy: Partial<AuthPolicy> = {}): Promise<Served> {
  return served({ authority, policy: () => authPolicy(policy) });
}

function ofWeb(options?: IssueOptions): Promise<CertificateWithKey> {
  return authority.issue(web, options);
}

/** Names the certificate's holder by something else than one SPIFFE id. */
function ofServer(...names: readonly string[]): Promise<CertificateWithKey> {
  return authority.serverCertificate({ names });
}

/** Shakes hands and waits for the end; gives the alert that the client got, if any. */
async function turnedAway(
  { server }: Served,
  { certificatePem, privateKeyPem }: Partial<CertificateWithKey>,
  more: ConnectionOptions = {},
): Promise<string> {
  const ca = await server.rootCertificatePem();
  const own = certificatePem === undefined ? {} : { cert: certificatePem, key: privateKeyPem };
  const socket = connectTls({ port: server.port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'], ...own, ...more });
  afterwards(() => socket.destroy());
  const alert = once(socket, 'error').then(([error]) => String((error as NodeJS.ErrnoException).code));
  const end = once(socket.resume(), 'close').then(() => 'no alert');
  alert.catch(() => undefined);
  return Promise.race([alert, end.catch(() => 'no alert')]);
}

describe.each(['sotw', 'delta'] as const)('the credentials of a stream, in %s', (variant) => {
  it('are its headers and the one name in the client certificate', async () => {
    const running = await asking();
    const { certificatePem: cert, privateKeyPem: key } = await ofWeb();
    const client = await running.connect('TLS', { cert, key });
    client.stream(variant, { authorization: 'Bearer x', clusterid: 'c1' });
    const { description } = await running.streams.opened.next();
    expect(description).toEqual({
      variant,
      peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      secure: true,
      credentials: { authorization: 'Bearer x', clusterId: 'c1', certificateUri: webUri },
    });
  });

  it('are none where there are none', async () => {
    const running = await asking();
    for (const over of ['TLS', 'plaintext'] as const) {
      (await running.connect(over)).stream(variant);
      const { description } = await running.streams.opened.next();
      expect(description).toEqual({ variant, peer: description.peer, secure: over === 'TLS' });
    }
  });

  it('hold no certificate where nobody asks for one', async () => {
    const running = await served({ authority });
    const { certificatePem: cert, privateKeyPem: key } = await stranger.issue(web);
    (await running.connect('TLS', { cert, key })).stream(variant);
    expect((await running.streams.opened.next()).description.credentials).toBeUndefined();
  });
});

describe('a client certificate that is no good ends the connection before any status', () => {
  it.each<[string, () => Promise<CertificateWithKey>, string]>([
    ['of no URI', () => ofServer('web.demo.example'), 'peer certificate does not contain 1 URI type SAN, detected 0'],
    [
      'of two URIs',
      () => ofServer(webUri, 'spiffe://cluster.local/ns/a/sa/b'),
      'peer certificate does not contain 1 URI type SAN, detected 2',
    ],
    [
      'of another trust domain',
      () => authority.issue({ ...web, trustDomain: 'other.domain' }),
      'no cert pool found for trust domain other.domain',
    ],
    [
      'of a URI that is no SPIFFE id',
      () => ofServer('https://web.example/'),
      'the URI https://web.example/ of the peer certificate is no SPIFFE id',
    ],
    ['of an unknown root', () => stranger.issue(web), 'x509: certificate signed by unknown authority'],
    [
      'of a root of our name that is not ours',
      () => authority.issue(web, { signer: 'unknown' }),
      'x509: certificate signed by unknown authority',
    ],
    ['that has expired', () => ofWeb({ notAfter: new Date(Date.now() - 1000) }), 'x509: certificate has expired or is not yet valid'],
    [
      'that is not valid yet',
      () => ofWeb({ notBefore: new Date(Date.now() + 60_000), notAfter: new Date(Date.now() + 120_000) }),
      'x509: certificate has expired or is not yet valid',
    ],
  ])('%s', async (_what, certificate, reason) => {
    const running = await asking();
    expect(await turnedAway(running, await certificate())).toBe('no alert');
    expect(await running.events.next(named('handshake.failed'))).toEqual({
      event: 'handshake.failed',
      peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      reason: `Could not verify certificate: ${reason}`,
    });
    await expectToServe(running);
  });

  it('and an alias of the trust domain is one that is known', async () => {
    const running = await asking({ trustDomains: ['cluster.local', 'old.mesh'] });
    const { certificatePem: cert, privateKeyPem: key } = await authority.issue({ ...web, trustDomain: 'old.mesh' });
    (await running.connect('TLS', { cert, key })).stream('delta');
    const { description } = await running.streams.opened.next();
    expect(description.credentials).toEqual({ certificateUri: 'spiffe://old.mesh/ns/demo/sa/web' });
  });
});

it('a client certificate is asked for as soon as there are rules, and no more when there are none', async () => {
  let policy: AuthPolicy | undefined;
  const running = await served({ authority, policy: () => policy });
  const { certificatePem: cert, privateKeyPem: key } = await ofWeb();
  const seen: unknown[] = [];
  for (const rules of [undefined, authPolicy(), undefined]) {
    policy = rules;
    (await running.connect('TLS', { cert, key })).stream('delta');
    seen.push((await running.streams.opened.next()).description.credentials);
  }
  expect(seen).toEqual([undefined, { certificateUri: webUri }, undefined]);
});

describe('a client certificate that is demanded', () => {
  it('is missed with an alert', async () => {
    const running = await asking({ clientCertificate: 'demanded' });
    expect(await turnedAway(running, {})).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED');
    const { reason } = await running.events.next(named('handshake.failed'));
    expect(reason).toBe('the client shows no certificate, and one is demanded');
    expect(await turnedAway(running, {}, { maxVersion: 'TLSv1.2' })).toMatch(/ALERT_HANDSHAKE_FAILURE/);
  });

  it('has to be one of ours', async () => {
    const running = await asking({ clientCertificate: 'demanded' });
    await turnedAway(running, await stranger.issue(web));
    const { reason } = await running.events.next(named('handshake.failed'));
    expect(reason).toBe('Could not verify certificate: x509: certificate signed by unknown authority');
  });

  it('lets in who has it', async () => {
    const running = await asking({ clientCertificate: 'demanded' });
    const { certificatePem: cert, privateKeyPem: key } = await ofWeb();
    (await running.connect('TLS', { cert, key })).stream('delta');
    expect((await running.streams.opened.next()).description.credentials).toEqual({ certificateUri: webUri });
  });
});

it('a resumed TLS session brings its client certificate along', async () => {
  const running = await asking();
  const { certificatePem: cert, privateKeyPem: key } = await ofWeb();
  const ca = await running.server.rootCertificatePem();
  const tls = { port: running.server.port, host: '127.0.0.1', ca, cert, key };
  const first = connectTls({ ...tls, ALPNProtocols: ['h2'] });
  afterwards(() => first.destroy());
  const [session] = (await once(first, 'session')) as [Buffer];
  const { connect } = await import('node:http2');
  const again = connect(`https://127.0.0.1:${running.server.port}`, { ca, cert, key, session });
  afterwards(() => again.destroy());
  again.request(
    {
      ':method': 'POST',
      ':path': '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources',
      te: 'trailers',
      'content-type': 'application/grpc',
    },
    { endStream: false },
  );
  const { description } = await running.streams.opened.next();
  expect((again.socket as unknown as { isSessionReused(): boolean }).isSessionReused()).toBe(true);
  expect(description.credentials).toEqual({ certificateUri: webUri });
});

async function expectToServe({ streams, connect }: Served): Promise<void> {
  (await connect('TLS')).stream('delta').send({ typeUrl: clusterType });
  expect(await (await streams.opened.next()).requests.next()).toMatchObject({ typeUrl: clusterType });
}
