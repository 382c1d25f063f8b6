import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** A key that signs service account tokens. */
export interface TokenKey {
  readonly privateKey: KeyObject;
  /** Its name in a token's header: the SHA-256 of the public key in base64url, as Kubernetes names its keys. */
  readonly kid: string;
  /** As a token's header spells it: `ES256`, `RS256`, ... */
  readonly algorithm: string;
}

/** Public keys that tokens are checked with (RFC 7517). */
export interface JsonWebKeySet {
  readonly keys: readonly JsonWebKey[];
}

const algorithmOfCurve: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** What `privateKey` signs tokens as; undefined for a kind of key that signs none. */
export function tokenKeyOf(privateKey: KeyObject): TokenKey | undefined {
  const algorithm = algorithmFor(privateKey);
  return algorithm === undefined ? undefined : { privateKey, algorithm, kid: keyId(privateKey) };
}

function algorithmFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  return asymmetricKeyType === 'ec' ? algorithmOfCurve[asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
}

function keyId(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return createHash('sha256').update(der).digest('base64url');
}

/** The public half as a set of one, for who checks tokens. */
export function jwksOf({ privateKey, kid, algorithm }: TokenKey): JsonWebKeySet {
  return { keys: [{ ...createPublicKey(privateKey).export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' }] };
}

/** Whether one of the keys is the public half. */
export function holdsKey({ keys }: JsonWebKeySet, { privateKey }: TokenKey): boolean {
  const own = createPublicKey(privateKey).export({ format: 'jwk' });
  return keys.some((key) => Object.entries(own).every(([name, value]) => key[name] === value));
}
