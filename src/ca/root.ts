import type { webcrypto } from 'node:crypto';
import type { X509Certificate } from '@peculiar/x509';
import type { Clock } from '../clock.ts';
import { backdateMs, dayMs, keyAlgorithm, loadX509, randomSerialNumber } from './x509.ts';

/** A self-signed root: a certificate and the key that signs in its name. */
export interface Root {
  readonly certificate: X509Certificate;
  readonly certificatePem: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

const lifetimeMs = 3650 * dayMs;

/** A new root as istiod makes one for itself: `O=cluster.local`, valid for ten years (istio security/pkg/pki/ca). */
export async function makeRoot(clock: Clock): Promise<Root> {
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const now = clock.date().getTime();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomSerialNumber(),
    name: 'O=cluster.local',
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + lifetimeMs),
    signingAlgorithm: keyAlgorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate, certificatePem: `${certificate.toString('pem')}\n`, keys };
}
