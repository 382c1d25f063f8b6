import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { PublicKey, X509Certificate } from '@peculiar/x509';
import type { Signer } from './signer.ts';
import { certificateDate, loadX509, randomSerialNumber } from './x509.ts';

/** What a certificate that signs nothing is made of. */
export interface LeafWish {
  readonly publicKey: PublicKey | webcrypto.CryptoKey;
  /** SPIFFE URIs, DNS names and IP addresses, told by their form. */
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * A certificate in istiod's profile, the same for servers and workloads (istio security/pkg/pki/util/generate_cert.go): empty subject,
 * critical names, key usage and basic constraints, good for servers and clients.
 */
export async function makeLeaf(
  { certificate: issuer, key, algorithm }: Signer,
  { publicKey, names, notBefore, notAfter }: LeafWish,
): Promise<X509Certificate> {
  const x509 = await loadX509();
  const issuerKeyId = issuer.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  return x509.X509CertificateGenerator.create({
    serialNumber: randomSerialNumber(),
    // Not `issuer.subject`: a text made into a name again may be spelled in other bytes than the issuer's own.
    issuer: issuer.subjectName,
    notBefore: certificateDate(notBefore.getTime()),
    notAfter: certificateDate(notAfter.getTime()),
    publicKey,
    signingKey: key,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.BasicConstraintsExtension(false, undefined, true),
      ...(issuerKeyId ? [new x509.AuthorityKeyIdentifierExtension(issuerKeyId)] : []),
      // Critical because the subject is empty (RFC 5280, 4.2.1.6).
      new x509.SubjectAlternativeNameExtension(names.map(generalName), true),
    ],
  });
}

function generalName(value: string): { readonly type: 'url' | 'ip' | 'dns'; readonly value: string } {
  if (value.includes('://')) return { type: 'url', value };
  return { type: isIP(value) ? 'ip' : 'dns', value };
}
