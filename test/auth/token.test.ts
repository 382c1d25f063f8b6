import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { describe, expect, it } from 'vitest';
import { mintToken, type TokenWish } from '../../src/auth/token.ts';
import { jwksOf, tokenKeyOf, type TokenKey } from '../../src/ca/token-key.ts';
import { manualClock } from '../clock.ts';

const web: TokenWish = { namespace: 'demo', serviceAccount: 'web' };
const now = new Date('2030-05-06T12:00:00.900Z');
const nowSeconds = Date.parse('2030-05-06T12:00:00Z') / 1000;

function key(kind: 'ec' | 'rsa' | 'ed25519' = 'ec', namedCurve = 'P-256'): TokenKey {
  const { privateKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve })
      : kind === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ed25519');
  const made = tokenKeyOf(privateKey);
  if (!made) throw new Error('no token key');
  return made;
}

function part(token: string, index: number): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

describe('a token', () => {
  it("has the form of Kubernetes' projected service account tokens", async () => {
    const signing = key();
    const token = await mintToken(signing, web, manualClock(now));
    const uid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    expect(part(token, 0)).toEqual({ alg: 'ES256', kid: signing.kid });
    expect(part(token, 1)).toEqual({
      aud: ['istio-ca'],
      exp: nowSeconds + 3600,
      iat: nowSeconds,
      iss: 'https://kubernetes.default.svc.cluster.local',
      jti: uid,
      'kubernetes.io': { namespace: 'demo', pod: { name: 'web', uid }, serviceaccount: { name: 'web', uid } },
      nbf: nowSeconds,
      sub: 'system:serviceaccount:demo:web',
    });
  });

  it('is signed as its header says, in the eyes of Node', async () => {
    const signing = key();
    const [header, claims, signature = ''] = (await mintToken(signing, web)).split('.');
    const publicKey = { key: createPublicKey(signing.privateKey), dsaEncoding: 'ieee-p1363' as const };
    expect(verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it.each([
    ['ES256', key('ec', 'P-256')],
    ['ES384', key('ec', 'P-384')],
    ['RS256', key('rsa')],
    ['EdDSA', key('ed25519')],
  ] as const)('of algorithm %s is verified by the public key set, and not by another', async (algorithm, signing) => {
    const token = await mintToken(signing, { ...web, audiences: ['a', 'b'], issuer: 'https://me' });
    const keySet = (of: TokenKey): ReturnType<typeof createLocalJWKSet> => createLocalJWKSet(jwksOf(of) as unknown as JSONWebKeySet);
    const { payload, protectedHeader } = await jwtVerify(token, keySet(signing), { audience: 'b', issuer: 'https://me' });
    expect([payload.sub, protectedHeader.alg]).toEqual(['system:serviceaccount:demo:web', algorithm]);
    await expect(jwtVerify(token, keySet(key()))).rejects.toThrow('no applicable key found');
  });

  it("names its key by the SHA-256 of the public key, as Kubernetes' tokens do", () => {
    const { kid, privateKey } = key();
    const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
    expect(kid).toBe(createHash('sha256').update(der).digest('base64url'));
  });

  it('can begin later or have ended; it is never issued in the future', async () => {
    const times = async (wish: Partial<TokenWish>): Promise<unknown> => {
      const { iat, nbf, exp } = part(await mintToken(key(), { ...web, ...wish }, manualClock(now)), 1);
      return [iat, nbf, exp].map((seconds) => Number(seconds) - nowSeconds);
    };
    expect(await times({ notBefore: new Date(now.getTime() + 600_000) })).toEqual([0, 600, 4200]);
    expect(await times({ notBefore: new Date(now.getTime() - 7_200_000) })).toEqual([-7200, -7200, -3600]);
    expect(await times({ ttlMs: 43_200_000 })).toEqual([0, 0, 43_200]);
  });

  it('can be for nobody', async () => {
    expect(part(await mintToken(key(), { ...web, audiences: [] }), 1)['aud']).toEqual([]);
  });

  it('can be unsigned', async () => {
    const token = await mintToken(undefined, web);
    expect(part(token, 0)).toEqual({ alg: 'none' });
    expect(token.split('.')).toEqual([expect.any(String), expect.any(String), '']);
  });
});
