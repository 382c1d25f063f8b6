import { existsSync, readFileSync, statSync, readdirSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PkiFacts } from '../../src/cli/pki-text.ts';
import { openssl } from '../ca/openssl.ts';
import { systemClock } from '../../src/clock.ts';
import { cli } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

async function newPki(...options: readonly string[]): Promise<string> {
  const dir = join(workFolder(), 'pki');
  expect((await cli(['ca', 'init', '--pki', dir, ...options])).code).toBe(0);
  return dir;
}

const facts = async (dir: string): Promise<PkiFacts> => JSON.parse((await cli(['ca', 'show', '--pki', dir, '--json'])).stdout) as PkiFacts;

describe('ca init', () => {
  it('says what it made, and nothing on stdout', async () => {
    const dir = join(workFolder(), 'pki');
    expect(await cli(['ca', 'init', '--pki', dir])).toEqual({
      code: 0,
      stdout: '',
      stderr: `${dir}: made ca-key.pem, ca-cert.pem, root-cert.pem, token-key.pem, jwks.json (authority of cluster.local)\n`,
    });
  });

  it('changes nothing that is there', async () => {
    const dir = await newPki('--intermediate', '--trust-domain', 'my.domain');
    const before = await facts(dir);
    expect(await cli(['ca', 'init', '--pki', dir])).toEqual({
      code: 0,
      stdout: '',
      stderr: `${dir} has all it needs; nothing was changed\n`,
    });
    expect(await facts(dir)).toEqual(before);
  });

  it('adds what is missing', async () => {
    const dir = await newPki();
    rmSync(join(dir, 'token-key.pem'));
    rmSync(join(dir, 'jwks.json'));
    expect((await cli(['ca', 'init', '--pki', dir])).stderr).toBe(`${dir}: made token-key.pem, jwks.json\n`);
  });
});

describe('ca show', () => {
  it('prints the facts of each file, and no secret', async () => {
    const dir = await newPki('--intermediate', '--trust-domain', 'my.domain');
    const { code, stdout, stderr } = await cli(['ca', 'show', '--pki', dir]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const plain = stdout
      .replaceAll(dir, 'DIR')
      .replace(/\d{4}-\S+Z/g, 'TIME')
      .replace(/([0-9A-F]{2}:){31}[0-9A-F]{2}/g, 'FINGERPRINT')
      .replace(/[0-9a-f]{32}/g, 'SERIAL')
      .replace(/[\w-]{43}/g, 'KID');
    expect(plain).toBe(`DIR: an authority of trust domain my.domain, where an intermediate signs

root-cert.pem
  subject     O=my.domain
  name        URI:spiffe://my.domain
  valid from  TIME
  valid to    TIME
  key         EC P-256
  serial      SERIAL
  SHA-256     FINGERPRINT

ca-cert.pem
  subject     O=my.domain, CN=Intermediate CA
  issuer      O=my.domain
  name        URI:spiffe://my.domain
  valid from  TIME
  valid to    TIME
  key         EC P-256
  serial      SERIAL
  SHA-256     FINGERPRINT

token-key.pem
  signs tokens  ES256
  key           EC P-256
  kid           KID

jwks.json
  checks tokens  KID
`);
  });

  it('says the same fingerprint and dates as openssl, for a program', async () => {
    const dir = await newPki();
    const root = readFileSync(join(dir, 'root-cert.pem'), 'utf8');
    const printed = await openssl({ root }, 'x509 -in root -noout -fingerprint -sha256 -enddate -serial');
    const { roots, signer, chain, trustDomain, tokenKeyIds, tokenKey } = await facts(dir);
    expect(printed.toUpperCase()).toContain(`=${signer.sha256}\n`);
    expect(printed.toLowerCase()).toContain(`serial=${signer.serialNumber}\n`);
    expect(new Date(/notAfter=(.*)/.exec(printed)?.[1] ?? '').toISOString()).toBe(signer.validTo);
    expect({ roots, chain, trustDomain }).toEqual({ roots: [signer], chain: [], trustDomain: 'cluster.local' });
    expect(tokenKeyIds).toEqual([tokenKey?.kid]);
  });

  it('warns on stderr of a key that others may read', async () => {
    const dir = await newPki();
    chmodSync(join(dir, 'ca-key.pem'), 0o644);
    const { code, stderr } = await cli(['ca', 'show', '--pki', dir]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `warning: ${dir}/ca-key.pem can be read by others (mode 0644): chmod 600 ${dir}/ca-key.pem\n`,
    });
  });

  it('ends with 2 and one clear error for a folder that is none', async () => {
    const dir = join(workFolder(), 'nope');
    expect(await cli(['ca', 'show', '--pki', dir])).toEqual({
      code: 2,
      stdout: '',
      stderr: `fake-istiod: ${dir}: there is no such folder. \`fake-istiod ca init --pki ${dir}\` makes it\n`,
    });
  });
});

describe('ca sign', () => {
  const sign = (dir: string, out: string, ...more: readonly string[]): ReturnType<typeof cli> =>
    cli(['ca', 'sign', '--pki', dir, '--namespace', 'demo', '--service-account', 'web', '--out', out, ...more]);
  const files = (out: string): Record<string, string> =>
    Object.fromEntries(['cert-chain.pem', 'key.pem', 'root-cert.pem'].map((name) => [name, readFileSync(join(out, name), 'utf8')]));

  it('writes what istioctl and pilot-agent read; openssl verifies it', async () => {
    const dir = await newPki('--intermediate', '--trust-domain', 'my.domain');
    const out = join(workFolder(), 'a/b');
    const { code, stdout, stderr } = await sign(dir, out, '--ttl', '7d');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(
      /: key\.pem, cert-chain\.pem, root-cert\.pem written; spiffe:\/\/my\.domain\/ns\/demo\/sa\/web until \d{4}-.*Z\n$/,
    );
    expect(readdirSync(out).sort()).toEqual(['cert-chain.pem', 'key.pem', 'root-cert.pem']);
    expect((statSync(join(out, 'key.pem')).mode & 0o777).toString(8)).toBe('600');
    const verify = 'verify -x509_strict -purpose sslclient -CAfile root-cert.pem -untrusted cert-chain.pem cert-chain.pem';
    expect(await openssl(files(out), verify)).toBe('cert-chain.pem: OK\n');
    expect(await openssl(files(out), 'x509 -in cert-chain.pem -noout -pubkey')).toBe(await openssl(files(out), 'pkey -in key.pem -pubout'));
    expect(await openssl(files(out), 'x509 -in cert-chain.pem -noout -checkend 600000')).toContain('will not expire');
  });

  it('replaces what it wrote before', async () => {
    const dir = await newPki();
    const out = workFolder();
    await sign(dir, out);
    const before = files(out);
    await sign(dir, out);
    expect(files(out)['root-cert.pem']).toBe(before['root-cert.pem']);
    expect(files(out)['key.pem']).not.toBe(before['key.pem']);
    expect(readdirSync(out)).toHaveLength(3);
  });

  it('takes another trust domain, which the root does not forbid', async () => {
    const [dir, out] = [await newPki(), workFolder()];
    await sign(dir, out, '--trust-domain', 'other.domain');
    expect(await openssl(files(out), 'x509 -in cert-chain.pem -noout -ext subjectAltName')).toContain(
      'URI:spiffe://other.domain/ns/demo/sa/web',
    );
  });

  it('does not write over the files of an authority', async () => {
    const dir = await newPki();
    const { code, stderr } = await sign(dir, dir);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `fake-istiod: ${dir} is the folder of an authority, whose own cert-chain.pem and root-cert.pem would be overwritten. Name another folder by --out\n`,
    );
    expect((await cli(['ca', 'show', '--pki', dir])).code).toBe(0);
  });

  it('says that a folder cannot be written to', async () => {
    const [dir, folder] = [await newPki(), workFolder({ file: '' })];
    const { code, stderr } = await sign(dir, join(folder, 'file'));
    expect(code).toBe(3);
    expect(stderr).toBe(
      `fake-istiod: ${folder}/file cannot be written to: ENOTDIR: not a directory. Name a folder that you may write to\n`,
    );
  });

  it.runIf(existsSync('/proc/self'))('says so of a folder in /proc, where Node would try for ever', async () => {
    const { code, stderr } = await sign(await newPki(), '/proc/fake-istiod/x');
    expect(code).toBe(3);
    expect(stderr).toMatch(/^fake-istiod: \/proc\/fake-istiod\/x cannot be written to: ENOENT/);
  });
});

describe('a wrong command line of ca and token', () => {
  it.each([
    ['ca', 'which command? `fake-istiod ca --help` shows what there is'],
    ['ca init', "required option '--pki <dir>' not specified. `fake-istiod ca init --help` shows what there is"],
    ['ca init --pki x --trust-domain a/b', '--trust-domain: "a/b" is not a name of letters, digits, "-" and "."'],
    [
      'ca sign --pki x --out y --service-account b',
      "required option '--namespace <name>' not specified. `fake-istiod ca sign --help` shows what there is",
    ],
    ['ca sign --pki x --namespace a:b --service-account b --out y', '--namespace: "a:b" is not a name of letters, digits, "-" and "."'],
    [
      'ca sign --pki x --namespace a --service-account b --out y --ttl 24',
      '--ttl: "24" is not a time with a unit, such as 90s, 30m, 24h or 7d',
    ],
    [
      'ca sign --pki x --namespace a --service-account b --out y --ttl 0h',
      '--ttl: "0h" is no time at all. Give a time with a unit, such as 90s, 30m, 24h or 7d',
    ],
    ['token --namespace a --service-account b', 'there is no key to sign the token with. Name a folder by --pki DIR, or say --unsigned'],
    [
      'token --pki x --namespace a --service-account b --unsigned',
      "option '--unsigned' cannot be used with option '--pki <dir>'. `fake-istiod token --help` shows what there is",
    ],
    [
      'token --pki x --namespace a --service-account b --expired --ttl 1h',
      "option '--expired' cannot be used with option '--ttl <time>'. `fake-istiod token --help` shows what there is",
    ],
    [
      'token --pki x --namespace a --service-account b --not-before tomorrow',
      '--not-before: "tomorrow" is not a time from now such as 10m, or one such as 2030-01-31T12:00:00Z',
    ],
  ])('`%s` ends with 2 and says what is wrong', async (line, text) => {
    expect(await cli(line.split(' '))).toEqual({ code: 2, stdout: '', stderr: `fake-istiod: ${text}\n` });
  });

  it.each(['ca', 'token'])('does not leave `%s --help` without examples or wider than 80 columns', async (command) => {
    const { stdout } = await cli([command, '--help']);
    expect(stdout).toContain('Examples:\n  # ');
    expect(stdout.split('\n').filter((one) => one.length > 80 && !one.startsWith('  fake-istiod'))).toEqual([]);
  });
});

describe('token', () => {
  const token = (dir: string, ...more: readonly string[]): ReturnType<typeof cli> =>
    cli(['token', '--pki', dir, '--namespace', 'demo', '--service-account', 'web', ...more]);
  const claims = (jwt: string): Record<string, number> =>
    JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Record<string, number>;

  it('prints a JWT alone', async () => {
    const { code, stdout, stderr } = await token(await newPki());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]{86}\n$/);
    expect(claims(stdout)).toMatchObject({ aud: ['istio-ca'], sub: 'system:serviceaccount:demo:web' });
  });

  it('takes audiences, issuer and times', async () => {
    const dir = await newPki();
    const { stdout } = await token(
      dir,
      ...'--audience a --audience b --issuer https://me --ttl 2d --not-before 2031-01-01T00:00:00+01:00'.split(' '),
    );
    const nbf = Date.parse('2030-12-31T23:00:00Z') / 1000;
    expect(claims(stdout)).toMatchObject({ aud: ['a', 'b'], iss: 'https://me', nbf, exp: nbf + 172_800 });
  });

  it('counts from one and the same instant, however long the making takes', async () => {
    let reads = 0;
    const clock = { ...systemClock, date: () => new Date(Date.UTC(2030, 0, 1) + 1500 * reads++) };
    const line = ['token', '--pki', await newPki(), '--namespace', 'demo', '--service-account', 'web', '--not-before', '10m'];
    const { nbf = 0, iat = 0 } = claims((await cli(line, { clock })).stdout);
    expect(nbf - iat).toBe(600);
  });

  it('can be too late', async () => {
    const { exp = 0, nbf = 0 } = claims((await token(await newPki(), '--expired')).stdout);
    expect(exp - nbf).toBe(3600);
    expect(Math.abs(Date.now() / 1000 - 3600 - exp)).toBeLessThan(60);
  });

  it('can do without a key', async () => {
    const { code, stdout } = await cli('token --unsigned --namespace demo --service-account web'.split(' '));
    expect(code).toBe(0);
    expect(Buffer.from(stdout.split('.')[0] ?? '', 'base64url').toString()).toBe('{"alg":"none"}');
    expect(stdout).toMatch(/\.\n$/);
  });

  it('says that tokens come from elsewhere where a folder has no key', async () => {
    const dir = await newPki();
    rmSync(join(dir, 'token-key.pem'));
    expect(await token(dir)).toEqual({
      code: 2,
      stdout: '',
      stderr: `fake-istiod: ${dir} holds no token-key.pem. \`fake-istiod ca init --pki ${dir}\` makes one, unless jwks.json says that tokens come from elsewhere\n`,
    });
  });

  it('ends with 2 for a key that is none', async () => {
    const dir = await newPki();
    writeFileSync(join(dir, 'token-key.pem'), 'x');
    expect((await token(dir)).stderr).toBe(
      `fake-istiod: ${dir}/token-key.pem: holds no PEM, expected a private key in PEM (-----BEGIN PRIVATE KEY-----)\n`,
    );
  });
});
