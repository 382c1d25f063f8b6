import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/ca/authority.ts';
import { openPki, type OpenPkiOptions } from '../../src/ca/pki-folder.ts';
import { systemClock } from '../../src/clock.ts';
import { FakeIstiodError } from '../../src/errors.ts';
import { workFolder } from '../cli/work-folder.ts';
import { newPki, text } from './new-pki.ts';

/** What is said when the folder is opened, its path left out. */
async function refusal(dir: string, options: OpenPkiOptions = {}): Promise<string> {
  const error: unknown = await openPki(dir, options).catch((thrown: unknown) => thrown);
  if (error instanceof FakeIstiodError) return `${error.code}: ${error.message.replaceAll(dir, 'DIR')}`;
  throw new Error(`not refused: ${String(error)}`);
}

describe('what does not work', () => {
  const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });

  it.each<readonly [what: string, breakIt: (dir: string) => void, said: string]>([
    [
      'no folder',
      (dir) => rmSync(dir, { recursive: true }),
      'input.unreadable: DIR: there is no such folder. `fake-istiod ca init --pki DIR` makes it',
    ],
    [
      'a file instead of the folder',
      (dir) => {
        rmSync(dir, { recursive: true });
        writeFileSync(dir, '');
      },
      'input.unreadable: DIR: is no folder. Name the folder that the files are in',
    ],
    [
      'a missing key',
      (dir) => rmSync(join(dir, 'ca-key.pem')),
      'input.unreadable: DIR/ca-key.pem: cannot be read: ENOENT: no such file or directory. root-cert.pem, ca-cert.pem and ca-key.pem go together; `fake-istiod ca init` makes them where there are none',
    ],
    [
      'a folder instead of a key',
      (dir) => {
        rmSync(join(dir, 'ca-key.pem'));
        mkdirSync(join(dir, 'ca-key.pem'));
      },
      'input.unreadable: DIR/ca-key.pem: cannot be read: EISDIR: illegal operation on a directory. Give a file that you may read',
    ],
    [
      'the key of somebody else',
      (dir) => writeFileSync(join(dir, 'ca-key.pem'), otherKey),
      'pki.invalid: DIR/ca-key.pem: is not the key of ca-cert.pem. Take both files from the same place',
    ],
    [
      'an empty key',
      (dir) => writeFileSync(join(dir, 'ca-key.pem'), '\n'),
      'pki.invalid: DIR/ca-key.pem: is empty, expected a private key in PEM (-----BEGIN PRIVATE KEY-----)',
    ],
    [
      'garbage for a key',
      (dir) => writeFileSync(join(dir, 'ca-key.pem'), Buffer.alloc(100, 0xff)),
      'pki.invalid: DIR/ca-key.pem: holds no PEM, expected a private key in PEM (-----BEGIN PRIVATE KEY-----)',
    ],
    [
      'a certificate for a key',
      (dir) => copyFileSync(join(dir, 'ca-cert.pem'), join(dir, 'ca-key.pem')),
      'pki.invalid: DIR/ca-key.pem: holds CERTIFICATE, expected a private key in PEM (-----BEGIN PRIVATE KEY-----)',
    ],
    [
      'a broken key',
      (dir) => writeFileSync(join(dir, 'ca-key.pem'), '-----BEGIN PRIVATE KEY-----\nMIGHAgEA\n-----END PRIVATE KEY-----\n'),
      'pki.invalid: DIR/ca-key.pem: the private key is broken. Copy the file anew',
    ],
    [
      'a key with a passphrase',
      (dir) =>
        writeFileSync(
          join(dir, 'ca-key.pem'),
          createPrivateKey(otherKey).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' }),
        ),
      'pki.invalid: DIR/ca-key.pem: is protected by a passphrase. Take it off: openssl pkey -in DIR/ca-key.pem -out plain.pem',
    ],
    [
      'an enormous key',
      (dir) => writeFileSync(join(dir, 'ca-key.pem'), 'x'.repeat(2_000_000)),
      'input.too-large: DIR/ca-key.pem: is 2000000 bytes, more than the 1048576 of a key or certificates',
    ],
    [
      'a key for a certificate',
      (dir) => writeFileSync(join(dir, 'ca-cert.pem'), otherKey),
      'pki.invalid: DIR/ca-cert.pem: holds PRIVATE KEY, expected PEM certificates (-----BEGIN CERTIFICATE-----)',
    ],
    [
      'a broken root among several',
      (dir) =>
        writeFileSync(
          join(dir, 'root-cert.pem'),
          `${text(dir, 'root-cert.pem')}-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`,
        ),
      'pki.invalid: DIR/root-cert.pem: certificate 2 of 2 is broken. Copy the file anew',
    ],
    [
      'a token key of another set',
      (dir) => writeFileSync(join(dir, 'token-key.pem'), otherKey),
      'pki.invalid: DIR/jwks.json: does not hold the public half of token-key.pem: tokens signed here would be refused. Remove jwks.json; `fake-istiod ca init --pki DIR` makes it anew',
    ],
    [
      'a key set that is no JSON',
      (dir) => writeFileSync(join(dir, 'jwks.json'), '{'),
      'pki.invalid: DIR/jwks.json: is no JSON, expected a JSON Web Key Set: {"keys": [{"kty": ...}]}',
    ],
    [
      'a key set without keys',
      (dir) => writeFileSync(join(dir, 'jwks.json'), '{"keys":[{}]}'),
      'pki.invalid: DIR/jwks.json: holds no list of keys, expected a JSON Web Key Set: {"keys": [{"kty": ...}]}',
    ],
  ])('is %s', async (_, breakIt, said) => {
    const dir = await newPki();
    breakIt(dir);
    expect(await refusal(dir)).toBe(said);
  });

  it('is a root that signed something else', async () => {
    const [dir, other] = [await newPki({ intermediate: true }), await newPki()];
    copyFileSync(join(other, 'root-cert.pem'), join(dir, 'root-cert.pem'));
    expect(await refusal(dir)).toBe(
      'pki.invalid: DIR/ca-cert.pem: no signatures lead from it to a certificate in root-cert.pem. Put the root into root-cert.pem, and what lies between into cert-chain.pem',
    );
  });

  it('is the certificate of a workload', async () => {
    const dir = await newPki();
    const issued = await createAuthority({ clock: systemClock, pki: await openPki(dir) }).issue({
      trustDomain: 'a',
      namespace: 'b',
      serviceAccount: 'c',
    });
    writeFileSync(join(dir, 'ca-cert.pem'), issued.certificatePem);
    writeFileSync(join(dir, 'ca-key.pem'), issued.privateKeyPem);
    expect(await refusal(dir)).toBe(
      'pki.invalid: DIR/ca-cert.pem: may not sign certificates (basic constraints: CA is not TRUE). Give the certificate of an authority, not that of a server',
    );
  });

  it('is to make another authority where one is', async () => {
    const dir = await newPki();
    const said =
      'pki.invalid: DIR: holds an authority already (ca-cert.pem, ca-key.pem, root-cert.pem), which stays as it is. Name another folder for a new one';
    expect(await refusal(dir, { create: true, intermediate: true })).toBe(said);
    expect(await refusal(dir, { create: true, trustDomain: 'x.y' })).toBe(said);
    expect(new X509Certificate(text(dir, 'ca-cert.pem')).subject).toBe('O=cluster.local');
  });

  it('is a folder that cannot be made', async () => {
    const dir = join(workFolder({ file: '' }), 'file/pki');
    expect(await refusal(dir, { create: true })).toBe(
      'output.unwritable: DIR cannot be written: ENOTDIR: not a directory. Name a folder that you may write to',
    );
  });

  it.runIf(existsSync('/proc/self'))('is a folder in /proc, where Node would try for ever', async () => {
    expect(await refusal('/proc/fake-istiod/pki', { create: true })).toMatch(/^output\.unwritable: DIR cannot be written: ENOENT/);
    expect(await refusal('/proc/fake-istiod', { create: true })).toMatch(/^output\.unwritable: DIR cannot be written: ENOENT/);
  });
});
