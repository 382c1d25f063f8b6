import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto';
import type * as X509 from '@peculiar/x509';

/** The X.509 library, loaded when the first certificate is made: it takes longer to load than all the rest of the server. */
export async function loadX509(): Promise<typeof X509> {
  return (await import('./x509-library.ts')).x509;
}

/**
 * All keys that we make are EC P-256. istiod's are RSA 2048, which takes a quarter of a second to make two of, against a millisecond;
 * a client that connects while they are made may give up on the handshake.
 */
export const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A new key pair, of which both halves can be written down. */
export function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}

/** Certificates are valid from a little before now, as istiod's, for clients whose clock is late. */
export const backdateMs = 2 * 60_000;

export const dayMs = 24 * 60 * 60_000;

/** An instant as a certificate can hold it: whole seconds. */
export function certificateDate(ms: number): Date {
  return new Date(Math.floor(ms / 1000) * 1000);
}

/** A serial number as hexadecimal digits: positive, 128 bits. */
export function randomSerialNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

/** A private key as PKCS #8 PEM, with a line end after it. */
export async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ type: 'pkcs8', format: 'pem' }).toString();
}

const curves: Readonly<Record<string, { readonly namedCurve: string; readonly hash: string }>> = {
  prime256v1: { namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { namedCurve: 'P-521', hash: 'SHA-512' },
};

/** How a key signs certificates, as WebCrypto says it. */
export interface SigningAlgorithm {
  readonly name: string;
  readonly hash?: string;
  readonly namedCurve?: string;
}

/** How certificates are signed with this private key; undefined if we cannot. */
export function signingAlgorithm(key: KeyObject): SigningAlgorithm | undefined {
  if (key.asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  if (key.asymmetricKeyType === 'ed25519') return { name: 'Ed25519' };
  const curve = key.asymmetricKeyType === 'ec' ? curves[key.asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  return curve && { name: 'ECDSA', ...curve };
}
