import { X509Certificate } from 'node:crypto';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../../src/ca/authority.ts';
import { CsrError } from '../../src/ca/csr.ts';
import { openPki } from '../../src/ca/pki-folder.ts';
import type { SpiffeId } from '../../src/ca/spiffe-id.ts';
import { systemClock } from '../../src/clock.ts';
import { workFolder } from '../cli/work-folder.ts';
import { manualClock } from '../clock.ts';
import { openssl, request } from './openssl.ts';

const web: SpiffeId = { trustDomain: 'cluster.local', namespace: 'demo', serviceAccount: 'web' };
const hour = 3_600_000;
const noon = new Date('2030-05-06T12:00:00.900Z');

async function refusal(authority: Authority, csr: string, seconds?: number): Promise<CsrError> {
  const error: unknown = await authority.sign(csr, web, seconds).catch((thrown: unknown) => thrown);
  if (error instanceof CsrError) return error;
  throw new Error(`not refused as a request: ${String(error)}`);
}

describe('a signed request', () => {
  it.each(['EC P-256', 'EC P-384', 'EC P-521', 'RSA 2048', 'Ed25519'] as const)(
    'with an %s key holds that key and the caller alone',
    async (kind) => {
      const csr = await request(kind);
      const authority = createAuthority({ clock: systemClock });
      const [leaf = '', root = ''] = (await authority.sign(csr, web)).chain;
      const files = { csr, leaf, root };
      expect(await openssl(files, 'verify -x509_strict -purpose sslserver -CAfile root leaf')).toBe('leaf: OK\n');
      expect(await openssl(files, 'x509 -in leaf -noout -pubkey')).toBe(await openssl(files, 'req -in csr -noout -pubkey'));
      // Node 20 says undefined for an empty subject, Node 24 an empty text.
      const { subject = '', subjectAltName, ca } = new X509Certificate(leaf) as { subject?: string; subjectAltName?: string; ca: boolean };
      expect({ subject, subjectAltName, ca }).toEqual({
        subject: '',
        subjectAltName: 'URI:spiffe://cluster.local/ns/demo/sa/web',
        ca: false,
      });
    },
  );

  it("has istiod's profile", async () => {
    const [leaf = ''] = (await createAuthority({ clock: systemClock }).sign(await request('EC P-256'), web)).chain;
    const text = await openssl({ leaf }, 'x509 -in leaf -noout -text');
    expect(text).toMatch(/Issuer: O ?= ?cluster\.local\n/);
    expect(text).toMatch(/Subject: *\n/);
    expect(text).toMatch(/Subject Alternative Name: critical\s+URI:spiffe/);
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Encipherment\n/);
    expect(text).toMatch(/Extended Key Usage: \s+TLS Web Server Authentication, TLS Web Client Authentication\n/);
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(text).not.toContain('evil');
  });

  it.each([
    ['nothing', undefined, 24],
    ['zero', 0, 24],
    ['less than zero', -5, 24],
    ['an hour', 3600, 1],
    ['90 days', 90 * 86_400, 90 * 24],
  ])('that asks for %s is valid from two minutes ago', async (_, seconds, hours) => {
    const { notBefore, notAfter, chain } = await createAuthority({ clock: manualClock(noon) }).sign(
      await request('EC P-256'),
      web,
      seconds,
    );
    expect(notBefore).toEqual(new Date('2030-05-06T11:58:00Z'));
    expect(notAfter).toEqual(new Date(Date.parse('2030-05-06T12:00:00Z') + hours * hour));
    const leaf = new X509Certificate(chain[0] ?? '');
    expect([new Date(leaf.validFrom), new Date(leaf.validTo)]).toEqual([notBefore, notAfter]);
  });

  it("is not valid for longer than the signer's own certificate", async () => {
    const clock = manualClock(noon);
    const authority = createAuthority({ clock });
    const rootEnd = new Date(new X509Certificate(await authority.rootPem()).validTo);
    clock.advance(rootEnd.getTime() - noon.getTime() - hour);
    expect((await authority.sign(await request('EC P-256'), web)).notAfter).toEqual(rootEnd);
  });

  it('comes with the intermediate and the root, the root last', async () => {
    const pki = await openPki(workFolder(), { create: true, intermediate: true });
    const { chain } = await createAuthority({ clock: systemClock, pki }).sign(await request('RSA 2048'), web);
    expect(chain).toHaveLength(3);
    const [leaf = '', intermediate = '', root = ''] = chain;
    expect(chain.every((pem) => pem.endsWith('-----END CERTIFICATE-----\n'))).toBe(true);
    expect(await openssl({ leaf, intermediate, root }, 'verify -x509_strict -CAfile root -untrusted intermediate leaf')).toBe('leaf: OK\n');
    await expect(openssl({ leaf, root }, 'verify -CAfile root leaf')).rejects.toThrow('unable to get local issuer');
  });

  it('has a serial number of its own', async () => {
    const authority = createAuthority({ clock: systemClock });
    const csr = await request('EC P-256');
    const serials = await Promise.all([1, 2, 3].map(async () => (await authority.sign(csr, web)).serialNumber));
    expect(new Set(serials).size).toBe(3);
    expect(serials.every((serial) => /^[4-7][0-9a-f]{31}$/.test(serial))).toBe(true);
  });
});

describe('a request that asks for more than 90 days', () => {
  it.each([
    [90 * 86_400 + 1, '2160h0m1s'],
    [Number.MAX_SAFE_INTEGER, '2501999792983h36m31s'],
  ])('(%i s) is refused in the words of istiod', async (seconds, asked) => {
    const error = await refusal(createAuthority({ clock: systemClock }), await request('EC P-256'), seconds);
    expect([error.kind, error.statusText]).toEqual([
      'ttl',
      `CSR signing error (requested TTL ${asked} is greater than the max allowed TTL 2160h0m0s)`,
    ]);
  });
});

describe('a certificate for a server', () => {
  const verified = async (authority: Authority, leaf: string): Promise<string> =>
    openssl({ leaf, root: await authority.rootPem() }, 'verify -CAfile root leaf');

  it('can be one by an authority that nobody knows', async () => {
    const authority = createAuthority({ clock: systemClock });
    const names = ['istiod.istio-system.svc'];
    const [own, unknown] = [await authority.serverCertificate({ names }), await authority.serverCertificate({ names, signer: 'unknown' })];
    expect(await verified(authority, own.certificatePem)).toBe('leaf: OK\n');
    await expect(verified(authority, unknown.certificatePem)).rejects.toThrow(/unable to get local issuer|signature failure/);
    expect(new X509Certificate(unknown.certificatePem).issuer).toBe('O=cluster.local');
  });

  it('can have expired, or not be valid yet', async () => {
    const authority = createAuthority({ clock: systemClock });
    const at = (hours: number): Date => new Date(Date.now() + hours * hour);
    const expired = await authority.serverCertificate({ names: ['a.b'], notBefore: at(-2), notAfter: at(-1) });
    const early = await authority.serverCertificate({ names: ['a.b'], notBefore: at(1) });
    await expect(verified(authority, expired.certificatePem)).rejects.toThrow('certificate has expired');
    await expect(verified(authority, early.certificatePem)).rejects.toThrow('certificate is not yet valid');
  });

  it('can be short-lived', async () => {
    const { notAfter } = await createAuthority({ clock: manualClock(noon) }).serverCertificate({ names: ['a.b'], validityMs: 5000 });
    expect(notAfter).toEqual(new Date('2030-05-06T12:00:05Z'));
  });
});

describe('an issued certificate', () => {
  it('proves a workload to a TLS server that knows the root, over an intermediate', async () => {
    const pki = await openPki(workFolder(), { create: true, intermediate: true, trustDomain: 'my.domain' });
    const authority = createAuthority({ clock: systemClock, pki });
    const [own, mine] = [
      await authority.serverCertificate({ names: ['localhost'] }),
      await authority.issue({ ...web, trustDomain: authority.trustDomain }),
    ];
    const ca = await authority.rootPem();
    const server = createServer({ key: own.privateKeyPem, cert: own.certificatePem, ca, requestCert: true, rejectUnauthorized: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, key: mine.privateKeyPem, cert: mine.certificatePem });
    const [socket] = (await once(server, 'secureConnection')) as [TLSSocket];
    expect(socket.getPeerCertificate().subjectaltname).toBe('URI:spiffe://my.domain/ns/demo/sa/web');
    client.destroy();
    socket.destroy();
    server.close();
    await once(server, 'close');
  });
});

it('two authorities have two roots of the same name', async () => {
  const [one, other] = [createAuthority({ clock: systemClock }), createAuthority({ clock: systemClock })];
  const roots = [await one.rootPem(), await other.rootPem()].map((pem) => new X509Certificate(pem));
  expect(roots[0]?.subject).toBe(roots[1]?.subject);
  expect(roots[0]?.fingerprint256).not.toBe(roots[1]?.fingerprint256);
});
