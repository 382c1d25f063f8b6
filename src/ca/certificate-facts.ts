import { X509Certificate, type KeyObject } from 'node:crypto';

/** What a person wants to know of a certificate. */
export interface CertificateFacts {
  /** As `O=cluster.local, CN=...`; empty for a workload. */
  readonly subject: string;
  readonly issuer: string;
  /** Subject alternative names as `URI:spiffe://...`, `DNS:...`, `IP Address:...`. */
  readonly names: readonly string[];
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validTo: string;
  /** e.g. `EC P-256`, `RSA 2048`, `Ed25519`. */
  readonly key: string;
  readonly isAuthority: boolean;
  /** Hexadecimal digits. */
  readonly serialNumber: string;
  /** Of the whole certificate: hexadecimal digits with colons. */
  readonly sha256: string;
}

/** The facts of a certificate in PEM. */
export function certificateFacts(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  const { subject, issuer, subjectAltName, validFrom, validTo, publicKey, ca, serialNumber, fingerprint256 } = certificate;
  return {
    subject: nameText(subject),
    issuer: nameText(issuer),
    names: subjectAltName ? subjectAltName.split(', ') : [],
    validFrom: new Date(validFrom).toISOString(),
    validTo: new Date(validTo).toISOString(),
    key: keyText(publicKey),
    isAuthority: ca,
    serialNumber: serialNumber.toLowerCase(),
    sha256: fingerprint256,
  };
}

// Node gives undefined for no subject, against its own types.
function nameText(name: string | undefined): string {
  return (name ?? '').trim().replaceAll('\n', ', ');
}

const curveNames: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

/** A kind of key as people say it. */
export function keyText({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') return `RSA ${asymmetricKeyDetails?.modulusLength ?? '?'}`;
  if (asymmetricKeyType === 'ed25519') return 'Ed25519';
  const curve = asymmetricKeyDetails?.namedCurve;
  return asymmetricKeyType === 'ec' && curve !== undefined ? `EC ${curveNames[curve] ?? curve}` : (asymmetricKeyType ?? 'unknown');
}
