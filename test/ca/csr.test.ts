import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CsrError, maxCsrBytes, readCsr } from '../../src/ca/csr.ts';
import { pemBlocks } from '../../src/ca/pem.ts';
import { openssl, request } from './openssl.ts';

const notEncoded = 'CSR signing error (certificate signing request is not properly encoded)';
const notParsed = 'CSR signing error (failed to parse X.509 certificate signing request)';

async function refusal(csr: string): Promise<CsrError> {
  const error: unknown = await readCsr(csr).catch((thrown: unknown) => thrown);
  if (error instanceof CsrError) return error;
  throw new Error(`not refused: ${String(error)}`);
}

function pem(der: Uint8Array, label = 'CERTIFICATE REQUEST'): string {
  return `-----BEGIN ${label}-----\n${Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
}

function derOf(text: string): Buffer {
  return Buffer.from(pemBlocks(text)[0]?.der ?? []);
}

/** A DER sequence in a sequence in a sequence, `depth` times. */
function nested(depth: number): Buffer {
  let der = Buffer.alloc(0);
  for (let i = 0; i < depth; i++) der = Buffer.concat([Buffer.from([0x30, 0x84, 0, 0, der.length >> 8, der.length & 255]), der]);
  return der;
}

describe('a request that is none', () => {
  it.each([
    ['is empty', '', notEncoded, 'it is empty'],
    ['is text', 'please', notEncoded, 'there is no PEM block in it'],
    ['has no end', '-----BEGIN CERTIFICATE REQUEST-----\nMIIB', notEncoded, 'there is no PEM block in it'],
    ['has another end', '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE-----', notEncoded, 'there is no PEM block in it'],
    [
      'is no base64',
      '-----BEGIN CERTIFICATE REQUEST-----\n?*\n-----END CERTIFICATE REQUEST-----',
      notEncoded,
      'there is no PEM block in it',
    ],
    ['only begins, a thousand times', '-----BEGIN A-----\n'.repeat(1000), notEncoded, 'there is no PEM block in it'],
    ['holds nothing', pem(new Uint8Array()), notParsed, /holds no PKCS #10 request/],
    ['holds garbage', pem(Buffer.from('garbage')), notParsed, /holds no PKCS #10 request/],
    ['holds sequences without end', pem(nested(6000)), notParsed, /holds no PKCS #10 request/],
    ['is enormous', 'x'.repeat(4_000_000), notParsed, `it is 4000000 bytes, more than ${maxCsrBytes}`],
  ])('because it %s is refused in the words of istiod', async (_, csr, statusText, detail) => {
    const error = await refusal(csr);
    expect([error.kind, error.statusText]).toEqual(['csr', statusText]);
    expect(error.detail).toMatch(detail);
  });

  it('because it was cut off is refused', async () => {
    const der = derOf(await request('EC P-256'));
    for (const length of [1, 10, der.length >> 1, der.length - 1])
      expect((await refusal(pem(der.subarray(0, length)))).statusText).toBe(notParsed);
  });

  it('because it was encoded twice is refused, and the log says so', async () => {
    const csr = await request('EC P-256');
    const twice = await refusal(pem(Buffer.from(csr)));
    expect([twice.statusText, twice.detail]).toEqual([notParsed, 'the PEM block holds PEM once more: it was encoded twice']);
    expect((await refusal(Buffer.from(csr).toString('base64'))).statusText).toBe(notEncoded);
  });

  it('because it is a certificate is refused', async () => {
    const certificate = await openssl(
      {},
      'req -x509 -batch -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout /dev/null -subj /O=a',
    );
    expect((await refusal(certificate)).statusText).toBe(notParsed);
  });
});

describe('a request that was not signed by the key it holds', () => {
  it.each([
    ['EC P-256', 'x509: ECDSA verification failure'],
    ['EC P-384', 'x509: ECDSA verification failure'],
    ['RSA 1024', 'crypto/rsa: verification error'],
    ['Ed25519', 'x509: Ed25519 verification failure'],
  ] as const)('(%s) is refused in the words of Go', async (kind, text) => {
    const der = derOf(await request(kind));
    der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1);
    const error = await refusal(pem(der));
    expect([error.kind, error.statusText]).toEqual(['csr', `CSR signing error (${text})`]);
    expect(error.detail).toBe('its signature is not by the key it holds');
  });

  it('is refused if the key is another one', async () => {
    const der = derOf(await request('EC P-256'));
    const point = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' }).subarray(-65);
    const key = (await readCsr(pem(der))).rawData;
    point.copy(der, der.indexOf(Buffer.from(key).subarray(-65)));
    expect((await refusal(pem(der))).message).toBe('x509: ECDSA verification failure');
  });

  it('is refused if the signature is of an unknown kind', async () => {
    const error = await refusal(await openssl({}, 'req -new -batch -nodes -subj /O=a -keyout /dev/null -newkey ed448'));
    expect(error.statusText).toBe('CSR signing error (x509: cannot verify signature: algorithm unimplemented)');
  });
});

describe('a good request', () => {
  it('may stand between other text, and have the older label', async () => {
    const der = derOf(await request('EC P-256'));
    const key = (await readCsr(`hello\n${pem(der, 'NEW CERTIFICATE REQUEST')}bye\n`)).rawData;
    expect(Buffer.from(key)).toEqual(Buffer.from((await readCsr(pem(der))).rawData));
  });

  it('ends as a refusal or as the same key when any byte of it is changed', async () => {
    const der = derOf(await request('EC P-256'));
    const key = Buffer.from((await readCsr(pem(der))).rawData);
    for (let i = 0; i < der.length; i++) {
      const changed = Buffer.from(der);
      changed.writeUInt8(der.readUInt8(i) ^ 0x55, i);
      const outcome: unknown = await readCsr(pem(changed)).then(
        ({ rawData }) => Buffer.from(rawData).equals(key),
        (error: unknown) => error instanceof CsrError,
      );
      expect([i, outcome]).toEqual([i, true]);
    }
  });

  it('may be signed with SHA-1, SHA-384 or PSS', async () => {
    for (const more of ['-sha1', '-sha384', '-sigopt rsa_padding_mode:pss'])
      await expect(request('RSA 1024', more).then(readCsr)).resolves.toBeDefined();
  });
});
