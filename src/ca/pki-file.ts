import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import { certificatePems, pemBlocks } from './pem.ts';
import type { JsonWebKeySet } from './token-key.ts';

/** The files of a PKI folder. */
export const pkiFiles = {
  root: 'root-cert.pem',
  certificate: 'ca-cert.pem',
  key: 'ca-key.pem',
  chain: 'cert-chain.pem',
  tokenKey: 'token-key.pem',
  jwks: 'jwks.json',
} as const;

/** A bundle of all public roots is 230 KiB. */
const maxBytes = 1024 * 1024;

/** A file of a PKI folder and what is wrong with it. */
export function pkiProblem(file: string, what: string, remedy?: string, cause?: unknown): FakeIstiodError {
  return FakeIstiodError.of('pki.invalid', [{ at: { file }, what, ...(remedy === undefined ? {} : { remedy }) }], cause);
}

/** Whether there is something of this name, be it a link to nothing. */
export function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file where a folder should be, above it. Anything else, as no permission to look, is told when it is read.
    return codeOf(error) !== 'ENOTDIR';
  }
}

/**
 * Makes a folder and those above it; one that is there already is fine. Errors are the system's.
 *
 * @note Not by `recursive`: where the folder above is there and yet the system says ENOENT, as in /proc, Node tries again for ever.
 */
export function makeFolder(dir: string): void {
  if (isThere(dir)) return;
  if (!isThere(dirname(dir))) makeFolder(dirname(dir));
  try {
    mkdirSync(dir);
  } catch (error) {
    // Somebody else made it in the meantime.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Error `input.unreadable` if `dir` is there and no folder, or if it is not there and has to be. */
export function checkFolder(dir: string, mayBeMissing: boolean): void {
  const unreadable = (what: string, remedy: string): FakeIstiodError =>
    FakeIstiodError.of('input.unreadable', [{ at: { file: dir }, what, remedy }]);
  if (!isThere(dir)) {
    if (mayBeMissing) return;
    throw unreadable('there is no such folder', `\`fake-istiod ca init --pki ${dir}\` makes it`);
  }
  if (!isFolder(dir)) throw unreadable('is no folder', 'Name the folder that the files are in');
}

function isFolder(dir: string): boolean {
  try {
    return statSync(dir).isDirectory();
  } catch {
    return false;
  }
}

/** The text of a file. Errors `input.unreadable`, `input.too-large`. */
export function readPkiFile(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > maxBytes)
      throw FakeIstiodError.of('input.too-large', [
        { at: { file }, what: `is ${size} bytes, more than the ${maxBytes} of a key or certificates` },
      ]);
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof FakeIstiodError) throw cause;
    throw FakeIstiodError.of(
      'input.unreadable',
      [{ at: { file }, what: `cannot be read: ${reasonOf(cause)}`, remedy: readRemedy(cause) }],
      cause,
    );
  }
}

/** A certificate as it stands in a file, with a line end after it, and as Node reads it. */
export interface ReadCertificate {
  readonly pem: string;
  readonly certificate: X509Certificate;
}

/** The certificates of a file. Error `pki.invalid` if there is none, or one is broken. */
export function readCertificates(file: string): readonly ReadCertificate[] {
  const text = readPkiFile(file);
  const pems = certificatePems(text);
  if (pems.length === 0) throw pkiProblem(file, `${foundIn(text)}, expected PEM certificates (-----BEGIN CERTIFICATE-----)`);
  return pems.map((pem, index) => {
    try {
      return { pem, certificate: new X509Certificate(pem) };
    } catch (cause) {
      throw pkiProblem(
        file,
        `${pems.length > 1 ? `certificate ${index + 1} of ${pems.length}` : 'the certificate'} is broken`,
        'Copy the file anew',
        cause,
      );
    }
  });
}

/** The private key of a file: PKCS #8, or the older forms for RSA and EC. Error `pki.invalid`. */
export function readPrivateKey(file: string): KeyObject {
  const text = readPkiFile(file);
  const block = pemBlocks(text).find(({ label }) => label.endsWith('PRIVATE KEY'));
  if (/ENCRYPTED/.test(text)) {
    throw pkiProblem(file, 'is protected by a passphrase', `Take it off: openssl pkey -in ${file} -out plain.pem`);
  }
  if (!block) throw pkiProblem(file, `${foundIn(text)}, expected a private key in PEM (-----BEGIN PRIVATE KEY-----)`);
  try {
    return createPrivateKey(block.text);
  } catch (cause) {
    throw pkiProblem(file, 'the private key is broken', 'Copy the file anew', cause);
  }
}

/** The key set of a file. Error `pki.invalid`. */
export function readJwks(file: string): JsonWebKeySet {
  const text = readPkiFile(file);
  const expected = 'expected a JSON Web Key Set: {"keys": [{"kty": ...}]}';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw pkiProblem(file, `is no JSON, ${expected}`, undefined, cause);
  }
  if (isKeySet(value)) return value;
  throw pkiProblem(file, `holds no list of keys, ${expected}`);
}

function isKeySet(value: unknown): value is JsonWebKeySet {
  if (typeof value !== 'object' || value === null || !('keys' in value) || !Array.isArray(value.keys)) return false;
  return value.keys.every((key: unknown) => typeof key === 'object' && key !== null && 'kty' in key && typeof key.kty === 'string');
}

/** A remark if others than the owner may read this file. */
export function exposure(file: string): readonly string[] {
  const mode = statSync(file).mode & 0o777;
  return mode & 0o077 ? [`${file} can be read by others (mode ${mode.toString(8).padStart(4, '0')}): chmod 600 ${file}`] : [];
}

function foundIn(text: string): string {
  if (text.trim() === '') return 'is empty';
  const labels = [...new Set(pemBlocks(text).map(({ label }) => label))];
  return labels.length > 0 ? `holds ${labels.join(', ')}` : 'holds no PEM';
}

/** The reason in a file system error, without the path that is told anyway. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+( '.*)?$/, '') : String(error);
}

function readRemedy(error: unknown): string {
  if (codeOf(error) !== 'ENOENT') return 'Give a file that you may read';
  return `${pkiFiles.root}, ${pkiFiles.certificate} and ${pkiFiles.key} go together; \`fake-istiod ca init\` makes them where there are none`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
