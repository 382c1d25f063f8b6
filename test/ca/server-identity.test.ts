import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createServerIdentity, type ServerIdentity } from '../../src/ca/server-identity.ts';
import { systemClock } from '../../src/clock.ts';
import { manualClock } from '../clock.ts';

const run = promisify(execFile);

/** Runs openssl with the identity's files as ROOT, CERT and KEY. */
async function openssl(identity: ServerIdentity, ...args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
  try {
    const { certificatePem, privateKeyPem } = await identity.certificate();
    const files = { ROOT: await identity.rootCertificatePem(), CERT: certificatePem, KEY: privateKeyPem };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const { stdout } = await run('openssl', [...args], { cwd: folder });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the server certificate', () => {
  it.each([
    'istiod.istio-system.svc',
    'istiod-remote.istio-system.svc',
    'istio-pilot.istio-system.svc',
    'istiod.istio-system',
    'localhost',
    'my.host',
  ])('is good for %s, in the eyes of openssl', async (name) => {
    const identity = createServerIdentity(['my.host', '10.1.2.3'], systemClock);
    expect(
      await openssl(identity, 'verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ROOT', '-verify_hostname', name, 'CERT'),
    ).toBe('CERT: OK\n');
  });

  it.each(['127.0.0.1', '::1', '10.1.2.3'])('is good for %s, in the eyes of openssl', async (address) => {
    const identity = createServerIdentity(['my.host', '10.1.2.3'], systemClock);
    expect(await openssl(identity, 'verify', '-x509_strict', '-CAfile', 'ROOT', '-verify_ip', address, 'CERT')).toBe('CERT: OK\n');
  });

  it('is good for no other name, and under no other root', async () => {
    const identity = createServerIdentity([], systemClock);
    await expect(openssl(identity, 'verify', '-CAfile', 'ROOT', '-verify_hostname', 'other.host', 'CERT')).rejects.toThrow(
      'hostname mismatch',
    );
    const other = await createServerIdentity([], systemClock).certificate();
    const mixed: ServerIdentity = { rootCertificatePem: () => identity.rootCertificatePem(), certificate: () => Promise.resolve(other) };
    await expect(openssl(mixed, 'verify', '-CAfile', 'ROOT', 'CERT')).rejects.toThrow(/unable to get local issuer|signature failure/);
  });

  it("has istiod's profile: no subject, critical names, for servers and clients", async () => {
    const text = await openssl(createServerIdentity([], systemClock), 'x509', '-in', 'CERT', '-noout', '-text');
    expect(text).toMatch(/Issuer: O ?= ?cluster\.local/);
    expect(text).toMatch(/Subject: *\n/);
    expect(text).toContain('X509v3 Subject Alternative Name: critical');
    expect(text).toContain('TLS Web Server Authentication, TLS Web Client Authentication');
    expect(text).toContain('X509v3 Key Usage: critical\n                Digital Signature, Key Encipherment');
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
  });

  it('is dated by the clock that is handed in, two minutes back', async () => {
    const identity = createServerIdentity([], manualClock(new Date('2030-05-06T07:08:09Z')));
    const certificate = new X509Certificate((await identity.certificate()).certificatePem);
    const root = new X509Certificate(await identity.rootCertificatePem());
    expect([certificate.validFrom, root.validFrom].map((date) => new Date(date).toISOString())).toEqual([
      '2030-05-06T07:06:09.000Z',
      '2030-05-06T07:06:09.000Z',
    ]);
    expect(new Date(root.validTo).getUTCFullYear()).toBe(2040);
    expect([root.ca, certificate.ca]).toEqual([true, false]);
  });

  it('is made once, also when two ask at the same time', async () => {
    const identity = createServerIdentity([], systemClock);
    const [one, other, root] = await Promise.all([identity.certificate(), identity.certificate(), identity.rootCertificatePem()]);
    expect(one).toBe(other);
    expect(await identity.rootCertificatePem()).toBe(root);
  });
});
