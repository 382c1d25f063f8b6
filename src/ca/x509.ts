import type { webcrypto } from 'node:crypto';
import type * as X509 from '@peculiar/x509';

/** The X.509 library, loaded when the first certificate is made: it takes longer to load than all the rest of the server. */
export async function loadX509(): Promise<typeof X509> {
  return (await import('./x509-library.ts')).x509;
}

/**
 * All keys are EC P-256. istiod's are RSA 2048, which takes a quarter of a second to make two of, against a millisecond; a client
 * that connects while they are made may give up on the handshake.
 */
export const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Certificates are valid from a little before now, as istiod's, for clients whose clock is late. */
export const backdateMs = 2 * 60_000;

export const dayMs = 24 * 60 * 60_000;

/** A serial number as hexadecimal digits: positive, 128 bits. */
export function randomSerialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

/** A private key as PKCS #8 PEM. */
export async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const { PemConverter } = await loadX509();
  return PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}
