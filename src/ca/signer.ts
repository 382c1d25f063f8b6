import { createPrivateKey, type webcrypto } from 'node:crypto';
import type { JsonName, X509Certificate } from '@peculiar/x509';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import type { CertificateFiles } from './certificate-files.ts';
import {
  backdateMs,
  certificateDate,
  dayMs,
  keyAlgorithm,
  loadX509,
  makeKeys,
  privateKeyPem,
  randomSerialNumber,
  signingAlgorithm,
  type SigningAlgorithm,
} from './x509.ts';

/** What certificates are signed with, and what goes with each of them. */
export interface Signer {
  readonly certificate: X509Certificate;
  readonly key: webcrypto.CryptoKey;
  readonly algorithm: SigningAlgorithm;
  /** The certificates between a leaf and the root, each as PEM. */
  readonly chainPem: readonly string[];
  /** All roots to be trusted, as PEM. */
  readonly rootPem: string;
}

/** A certificate that may sign others, with its keys. */
interface SigningPair {
  readonly certificate: X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
}

const rootLifetimeMs = 3650 * dayMs;
const intermediateLifetimeMs = 1825 * dayMs;

/**
 * A new authority as PEM files. Its root is as istiod makes one for itself: `O=<trust domain>`, valid for ten years (istio
 * security/pkg/pki/ca), and holds `spiffe://<trust domain>`, by which SPIFFE names a signer's trust domain (X509-SVID, section 3.2).
 * With an `intermediate`, that one signs, for five years, and the key of the root is in nobody's hands.
 */
export async function makeCertificateFiles(clock: Clock, trustDomain: string, intermediate = false): Promise<CertificateFiles> {
  const root = await makeSigningPair(clock, trustDomain, [{ O: [trustDomain] }], rootLifetimeMs);
  const rootPem = pemOf(root.certificate);
  if (!intermediate) return { rootPem, certificatePem: rootPem, keyPem: await privateKeyPem(root.keys.privateKey), chainPem: [] };
  const made = await makeSigningPair(clock, trustDomain, [{ O: [trustDomain] }, { CN: ['Intermediate CA'] }], intermediateLifetimeMs, root);
  const certificatePem = pemOf(made.certificate);
  return { rootPem, certificatePem, keyPem: await privateKeyPem(made.keys.privateKey), chainPem: [certificatePem] };
}

/** The signer in these files. Error `pki.invalid` for a key that cannot sign certificates. */
export async function loadSigner({ rootPem, certificatePem, keyPem, chainPem }: CertificateFiles): Promise<Signer> {
  const x509 = await loadX509();
  const key = createPrivateKey(keyPem);
  const algorithm = signingAlgorithm(key);
  if (!algorithm)
    throw new FakeIstiodError('pki.invalid', `a key of kind ${key.asymmetricKeyType ?? 'unknown'} cannot sign certificates here`, {
      remedy: 'Give an RSA, ECDSA (P-256, P-384, P-521) or Ed25519 key with its certificate',
    });
  const der = new Uint8Array(key.export({ format: 'der', type: 'pkcs8' }));
  return {
    certificate: new x509.X509Certificate(certificatePem),
    key: await crypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
    algorithm,
    chainPem,
    rootPem,
  };
}

async function makeSigningPair(
  clock: Clock,
  trustDomain: string,
  subject: JsonName,
  lifetimeMs: number,
  issuer?: SigningPair,
): Promise<SigningPair> {
  const x509 = await loadX509();
  const keys = await makeKeys();
  const now = clock.date().getTime();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomSerialNumber(),
    subject,
    issuer: issuer?.certificate.subjectName ?? subject,
    notBefore: certificateDate(now - backdateMs),
    notAfter: certificateDate(now + lifetimeMs),
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(issuer ? [await x509.AuthorityKeyIdentifierExtension.create(issuer.keys.publicKey)] : []),
      new x509.SubjectAlternativeNameExtension([{ type: 'url', value: `spiffe://${trustDomain}` }]),
    ],
  });
  return { certificate, keys };
}

/** A certificate as PEM, with a line end after it. */
export function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}
