import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Root } from './root.ts';
import { backdateMs, dayMs, keyAlgorithm, loadX509, privateKeyPem, randomSerialNumber } from './x509.ts';

/** A certificate that a server shows, and its key, both PEM. */
export interface ServerCertificate {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** What istiod's certificate is good for (istio pilot/pkg/bootstrap/certcontroller.go), and the addresses of a lab. */
export const istiodNames: readonly string[] = [
  'istiod.istio-system.svc',
  'istiod-remote.istio-system.svc',
  'istio-pilot.istio-system.svc',
  'istiod.istio-system',
  'localhost',
  '127.0.0.1',
  '::1',
];

const lifetimeMs = 365 * dayMs;

/** A server certificate signed by `root` for `istiodNames` and `extraNames` (DNS names or IP addresses), in istiod's profile. */
export async function makeServerCertificate(root: Root, extraNames: readonly string[], clock: Clock): Promise<ServerCertificate> {
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
  const now = clock.date().getTime();
  const names = [...new Set([...istiodNames, ...extraNames])].map((value) => ({
    type: isIP(value) ? ('ip' as const) : ('dns' as const),
    value,
  }));
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomSerialNumber(),
    subject: '',
    issuer: root.certificate.subject,
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(now + lifetimeMs),
    publicKey: keys.publicKey,
    signingKey: root.keys.privateKey,
    signingAlgorithm: keyAlgorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.BasicConstraintsExtension(false, undefined, true),
      await x509.AuthorityKeyIdentifierExtension.create(root.keys.publicKey),
      // Critical because the subject is empty (RFC 5280, 4.2.1.6).
      new x509.SubjectAlternativeNameExtension(names, true),
    ],
  });
  return { certificatePem: `${certificate.toString('pem')}\n`, privateKeyPem: `${await privateKeyPem(keys.privateKey)}\n` };
}
