import { createPrivateKey } from 'node:crypto';
import { chmodSync, copyFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/ca/authority.ts';
import { openPki } from '../../src/ca/pki-folder.ts';
import { systemClock } from '../../src/clock.ts';
import { workFolder } from '../cli/work-folder.ts';
import { manualClock } from '../clock.ts';
import { newPki, text } from './new-pki.ts';
import { openssl } from './openssl.ts';

describe('a new folder', () => {
  it('has a root, a token key and its public half; keys are for the owner alone', async () => {
    const dir = join(workFolder(), 'not/there/yet');
    const { created, warnings, chainPem, trustDomain } = await openPki(dir, { create: true });
    expect(created).toEqual(['ca-key.pem', 'ca-cert.pem', 'root-cert.pem', 'token-key.pem', 'jwks.json']);
    expect({ warnings, chainPem, trustDomain }).toEqual({ warnings: [], chainPem: [], trustDomain: 'cluster.local' });
    const modes = readdirSync(dir).map((name) => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)]);
    expect(Object.fromEntries(modes)).toEqual({
      'ca-cert.pem': '644',
      'ca-key.pem': '600',
      'jwks.json': '644',
      'root-cert.pem': '644',
      'token-key.pem': '600',
    });
    expect(text(dir, 'root-cert.pem')).toBe(text(dir, 'ca-cert.pem'));
    expect(text(dir, 'jwks.json')).not.toContain('"d"');
  });

  it("has a root in istiod's profile, and the trust domain in it", async () => {
    const dir = await newPki({ trustDomain: 'my, domain' });
    const printed = await openssl({ root: text(dir, 'root-cert.pem') }, 'x509 -in root -noout -text');
    expect(printed).toMatch(/Subject: O ?= ?"?my, domain"?\n/);
    expect(printed).toMatch(/Basic Constraints: critical\s+CA:TRUE/);
    expect(printed).toMatch(/Key Usage: critical\s+Certificate Sign\n/);
    expect(printed).toContain('URI:spiffe://my, domain');
  });

  it('can have an intermediate, whose root openssl accepts', async () => {
    const dir = await newPki({ intermediate: true, trustDomain: 'my.domain' });
    const files = { root: text(dir, 'root-cert.pem'), ca: text(dir, 'ca-cert.pem') };
    expect(await openssl(files, 'verify -x509_strict -CAfile root ca')).toBe('ca: OK\n');
    expect(text(dir, 'cert-chain.pem')).toBe(files.ca);
    const pki = await openPki(dir);
    expect({ trustDomain: pki.trustDomain, warnings: pki.warnings, chain: pki.chainPem }).toEqual({
      trustDomain: 'my.domain',
      warnings: [],
      chain: [files.ca],
    });
  });

  it('is the same when it is opened again', async () => {
    const dir = await newPki();
    const before = readdirSync(dir).map((name) => text(dir, name));
    const again = await openPki(dir, { create: true });
    expect(again.created).toEqual([]);
    expect(readdirSync(dir).map((name) => text(dir, name))).toEqual(before);
    expect(await createAuthority({ clock: systemClock, pki: again }).rootPem()).toBe(text(dir, 'root-cert.pem'));
  });
});

describe('a folder that Istio would plug in', () => {
  /** A root and what it signed, by openssl, the latter with such a key. */
  async function plugged(newkey: string): Promise<string> {
    const dir = workFolder();
    const sh = async (command: string): Promise<void> =>
      void (await openssl(
        { v3: 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid' },
        command.replaceAll('DIR', dir),
      ));
    await sh(
      `req -x509 -batch -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-384 -keyout DIR/root-key.pem -out DIR/root-cert.pem -days 30 -subj /O=Istio/CN=Root -addext keyUsage=critical,keyCertSign`,
    );
    await sh(`req -new -batch -nodes -newkey ${newkey} -keyout DIR/ca-key.pem -out DIR/ca.csr -subj /O=Istio/L=cluster1/CN=Intermediate`);
    await sh(
      'x509 -req -in DIR/ca.csr -CA DIR/root-cert.pem -CAkey DIR/root-key.pem -CAcreateserial -days 20 -extfile v3 -out DIR/ca-cert.pem',
    );
    writeFileSync(join(dir, 'cert-chain.pem'), text(dir, 'ca-cert.pem') + text(dir, 'root-cert.pem'));
    return dir;
  }

  it.each(['rsa:2048', 'ec -pkeyopt ec_paramgen_curve:P-384', 'ed25519'])(
    '(%s) signs what openssl verifies; the root is there twice, as with istiod',
    async (newkey) => {
      const dir = await plugged(newkey);
      const pki = await openPki(dir);
      expect([pki.trustDomain, pki.tokenKey, pki.jwks, pki.warnings]).toEqual([undefined, undefined, undefined, []]);
      const { certificatePem } = await createAuthority({ clock: systemClock, pki }).issue({
        trustDomain: 'td',
        namespace: 'a',
        serviceAccount: 'b',
      });
      const files = { leaf: certificatePem, root: text(dir, 'root-cert.pem'), chain: text(dir, 'cert-chain.pem') };
      expect(await openssl(files, 'verify -x509_strict -CAfile root -untrusted chain leaf')).toBe('leaf: OK\n');
      expect(pki.chainPem).toHaveLength(2);
    },
  );

  it('takes the older forms of keys', async () => {
    const dir = await plugged('ec -pkeyopt ec_paramgen_curve:P-256');
    const key = createPrivateKey(text(dir, 'ca-key.pem'));
    writeFileSync(join(dir, 'ca-key.pem'), key.export({ type: 'sec1', format: 'pem' }));
    await expect(openPki(dir)).resolves.toMatchObject({ warnings: [] });
  });

  it('gets a token key and nothing else', async () => {
    const dir = await plugged('ed25519');
    const { created, tokenKey } = await openPki(dir, { create: true });
    expect(created).toEqual(['token-key.pem', 'jwks.json']);
    expect(tokenKey?.algorithm).toBe('ES256');
  });

  it('sends the signing certificate along where no chain is given', async () => {
    const dir = await plugged('ed25519');
    rmSync(join(dir, 'cert-chain.pem'));
    expect((await openPki(dir)).chainPem).toEqual([text(dir, 'ca-cert.pem')]);
  });

  it('is warned about when its chain lacks the signing certificate', async () => {
    const dir = await plugged('ed25519');
    copyFileSync(join(dir, 'root-cert.pem'), join(dir, 'cert-chain.pem'));
    const { warnings } = await openPki(dir);
    expect(warnings).toEqual([`${dir}/cert-chain.pem lacks ca-cert.pem: who knows the root alone cannot check what is signed here`]);
  });
});

describe('what is odd and yet works', () => {
  it.each([
    [0o644, '0644'],
    [0o640, '0640'],
  ])('is a key of mode %o', async (mode, told) => {
    const dir = await newPki();
    const files = ['ca-key.pem', 'token-key.pem'].map((name) => join(dir, name));
    files.forEach((file) => chmodSync(file, mode));
    expect((await openPki(dir)).warnings).toEqual(files.map((file) => `${file} can be read by others (mode ${told}): chmod 600 ${file}`));
  });

  it('is an authority out of its time', async () => {
    const dir = await newPki({ intermediate: true, clock: manualClock(new Date('2030-01-01T00:00:00Z')) });
    const at = async (time: string): Promise<readonly string[]> =>
      (await openPki(dir, { clock: manualClock(new Date(time)) })).warnings.map((line) => line.replace(`${dir}/`, ''));
    expect(await at('2030-01-01T00:00:00Z')).toEqual([]);
    expect(await at('2029-12-31T00:00:00Z')).toEqual([
      'ca-cert.pem is not valid before 2029-12-31T23:58:00.000Z',
      'root-cert.pem is not valid before 2029-12-31T23:58:00.000Z',
    ]);
    expect(await at('2036-01-01T00:00:00Z')).toEqual(['ca-cert.pem has expired on 2034-12-31T00:00:00.000Z']);
  });

  it('is a key set without a key to sign with: tokens come from elsewhere', async () => {
    const dir = await newPki();
    rmSync(join(dir, 'token-key.pem'));
    const { tokenKey, jwks, created } = await openPki(dir, { create: true });
    expect([tokenKey, jwks?.keys.length, created]).toEqual([undefined, 1, []]);
  });

  it('is a token key without a key set, which is made of it', async () => {
    const dir = await newPki();
    const jwks = text(dir, 'jwks.json');
    rmSync(join(dir, 'jwks.json'));
    expect((await openPki(dir)).jwks).toEqual(JSON.parse(jwks));
    expect((await openPki(dir, { create: true })).created).toEqual(['jwks.json']);
    expect(text(dir, 'jwks.json')).toBe(jwks);
  });
});
