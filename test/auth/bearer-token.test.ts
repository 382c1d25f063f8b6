import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SignJWT } from 'jose';
import { callerOfToken } from '../../src/auth/bearer-token.ts';
import { authPolicy, type AuthPolicy } from '../../src/auth/policy.ts';
import { mintToken, type TokenWish } from '../../src/auth/token.ts';
import { jwksOf, tokenKeyOf, type TokenKey } from '../../src/ca/token-key.ts';
import { manualClock } from '../clock.ts';

const now = new Date('2030-05-06T12:00:00Z');
const nowSeconds = now.getTime() / 1000;
const web: TokenWish = { namespace: 'demo', serviceAccount: 'web' };

function newKey(kind: 'ec' | 'rsa' | 'ed25519' = 'ec'): TokenKey {
  const pair = {
    ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ed25519: () => generateKeyPairSync('ed25519'),
  }[kind]();
  return tokenKeyOf(pair.privateKey) as TokenKey;
}

const key = newKey();
const checking: Partial<AuthPolicy> = { keys: jwksOf(key) };
const prefix =
  'failed to validate the JWT from cluster "Kubernetes": the service account authentication returns an error: [invalid bearer token, ';

/** The identity found, or the reason why there is none; the reasons of a token's review without what stands around them. */
async function verdict(authorization: string | undefined, policy: Partial<AuthPolicy> = {}, clusterId?: string): Promise<string> {
  const credentials = {
    peer: 'p',
    secure: true,
    ...(authorization === undefined ? {} : { authorization }),
    ...(clusterId === undefined ? {} : { clusterId }),
  };
  const found = await callerOfToken(credentials, authPolicy(policy), now);
  if ('identity' in found)
    return `${found.identity.trustDomain} ${found.identity.namespace} ${found.identity.serviceAccount} @${found.clusterId}`;
  return found.reason.startsWith(prefix) ? found.reason.slice(prefix.length, -1) : found.reason;
}

function minted(wish: Partial<TokenWish> = {}, signing: TokenKey | undefined = key): Promise<string> {
  return mintToken(signing, { ...web, ...wish }, manualClock(now)).then((token) => `Bearer ${token}`);
}

/** A token with exactly these claims. */
async function claiming(claims: Record<string, unknown>): Promise<string> {
  const good = { aud: ['istio-ca'], exp: nowSeconds + 60, sub: 'system:serviceaccount:demo:web' };
  const all = Object.fromEntries(Object.entries({ ...good, ...claims }).filter(([, value]) => value !== undefined));
  return `Bearer ${await new SignJWT(all).setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(key.privateKey)}`;
}

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const itsWeb = 'cluster.local demo web @Kubernetes';

describe('a bearer token', () => {
  it.each(['ec', 'rsa', 'ed25519'] as const)('signed by a known %s key is believed', async (kind) => {
    const other = newKey(kind);
    expect(await verdict(await minted({}, other), { keys: jwksOf(other) })).toBe(itsWeb);
  });

  it('stands for an identity of the mesh, whatever aliases its trust domain has', async () => {
    expect(await verdict(await minted(), { ...checking, trustDomains: ['mesh', 'old'] })).toBe('mesh demo web @Kubernetes');
  });

  it.each<[string, string | undefined, string]>([
    ['is missing', undefined, 'target JWT extraction error: no HTTP authorization header exists'],
    ['is no bearer token', 'Basic abc', 'target JWT extraction error: no bearer token exists in HTTP authorization header'],
    ['has another case', 'bearer abc', 'target JWT extraction error: no bearer token exists in HTTP authorization header'],
    ['is empty', 'Bearer ', 'the token is no signed JWT'],
    ['is garbage', 'Bearer garbage', 'the token is no signed JWT'],
    ['has parts that are garbage', 'Bearer a.b.c', 'the token is no signed JWT'],
    ['has five parts', 'Bearer a.b.c.d.e', 'the token is no signed JWT'],
    ['has a header that is no map', `Bearer ${part([])}.${part({})}.x`, 'the token is no signed JWT'],
    ['is enormous', `Bearer ${'x'.repeat(70_000)}`, 'the token is 70000 characters long; at most 65536 are read'],
    [
      'has a huge header',
      `Bearer ${part({ alg: 'ES256', pad: 'x'.repeat(30_000) })}.${part({})}.xxxx`,
      'the signature of the token is not valid',
    ],
    ['is unsigned', `Bearer ${part({ alg: 'none' })}.${part({})}.`, 'the token is signed by an algorithm that is not allowed'],
    [
      'is signed by a shared secret',
      `Bearer ${part({ alg: 'HS256' })}.${part({})}.x`,
      'the token is signed by an algorithm that is not allowed',
    ],
    [
      'has an unknown critical part',
      `Bearer ${part({ alg: 'ES256', crit: ['x'], x: 1 })}.${part({})}.x`,
      'the token is signed by an algorithm that is not allowed',
    ],
  ])('that %s is refused', async (_what, header, reason) => {
    expect(await verdict(header, checking)).toBe(reason);
  });

  it('of an unknown key is refused, with a known name too', async () => {
    const stranger = newKey();
    expect(await verdict(await minted({}, stranger), checking)).toBe('no known key has signed the token');
    expect(await verdict(await minted({}, { ...stranger, kid: key.kid }), checking)).toBe('the signature of the token is not valid');
  });

  it('that names no key is tried with each', async () => {
    const [one, other] = [newKey(), newKey()];
    const keys = { keys: [...jwksOf(one).keys, ...jwksOf(other).keys] };
    const nameless = async (signing: TokenKey): Promise<string> => {
      const claims = { aud: 'istio-ca', exp: nowSeconds + 60, sub: 'system:serviceaccount:demo:web' };
      return `Bearer ${await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(signing.privateKey)}`;
    };
    expect(await verdict(await nameless(other), { keys })).toBe(itsWeb);
    expect(await verdict(await nameless(newKey()), { keys })).toBe('the signature of the token is not valid');
  });

  it('whose claims were changed after signing is refused', async () => {
    const [head, , signature] = (await minted()).split('.');
    const forged = `${head}.${part({ aud: ['istio-ca'], exp: nowSeconds + 60, sub: 'system:serviceaccount:kube-system:admin' })}.${signature}`;
    expect(await verdict(forged, checking)).toBe('the signature of the token is not valid');
    expect(await verdict(forged)).toBe('cluster.local kube-system admin @Kubernetes');
  });

  it('whose signature nobody checks is believed, signed or not', async () => {
    expect(await verdict(await minted({}, newKey()))).toBe(itsWeb);
    expect(await verdict(await mintToken(undefined, web, manualClock(now)).then((token) => `Bearer ${token}`))).toBe(itsWeb);
    expect(await verdict('Bearer garbage')).toBe('the token is no JWT');
    expect(await verdict(`Bearer x.${part([1])}.x`)).toBe('the token is no JWT');
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a list of audiences', { aud: ['a', 'istio-ca'] }, itsWeb],
    ['one audience as a text', { aud: 'istio-ca' }, itsWeb],
    ['another audience as a text', { aud: 'vault' }, 'token audiences ["vault"] is invalid for the target audiences ["istio-ca"]'],
    ['no audience', { aud: undefined }, 'token audiences [] is invalid for the target audiences ["istio-ca"]'],
    ['an audience that is a number', { aud: 5 }, 'token audiences [] is invalid for the target audiences ["istio-ca"]'],
    ['no expiry', { exp: undefined }, 'the token has no expiry (exp)'],
    ['an expiry that is a text', { exp: '5' }, 'the token has no expiry (exp)'],
    ['an end in the past', { exp: nowSeconds - 1 }, 'service account token has expired'],
    ['an end that is now', { exp: nowSeconds }, 'service account token has expired'],
    ['a beginning that is now', { nbf: nowSeconds }, itsWeb],
    ['a beginning in the future', { nbf: nowSeconds + 1 }, 'service account token is not valid yet'],
    ['a beginning that is a text', { nbf: 'x' }, 'nbf is no number'],
    ['no subject', { sub: undefined }, 'sub undefined is not system:serviceaccount:<namespace>:<name>'],
    ['a user for a subject', { sub: 'alice' }, 'sub "alice" is not system:serviceaccount:<namespace>:<name>'],
    ['a subject that is a number', { sub: 7 }, 'sub 7 is not system:serviceaccount:<namespace>:<name>'],
    [
      'a subject without a name',
      { sub: 'system:serviceaccount:demo:' },
      'sub "system:serviceaccount:demo:" is not system:serviceaccount:<namespace>:<name>',
    ],
    [
      'a subject of too many parts',
      { sub: 'system:serviceaccount:a:b:c' },
      'sub "system:serviceaccount:a:b:c" is not system:serviceaccount:<namespace>:<name>',
    ],
    ['an issuer, where nobody asks for one', { iss: 'me' }, itsWeb],
  ])('with %s', async (_what, claims, expected) => {
    expect(await verdict(await claiming(claims), checking)).toBe(expected);
  });

  it('has to be of the issuer wanted', async () => {
    const policy = { ...checking, issuer: 'me' };
    expect(await verdict(await claiming({ iss: 'me' }), policy)).toBe(itsWeb);
    expect(await verdict(await claiming({ iss: 'you' }), policy)).toBe('the token is issued by "you", not by "me"');
    expect(await verdict(await claiming({ iss: undefined }), policy)).toBe('the token is issued by undefined, not by "me"');
  });

  it('has to be for one of the audiences wanted', async () => {
    const policy = { ...checking, audiences: ['a', 'b'] };
    expect(await verdict(await claiming({ aud: ['b'] }), policy)).toBe(itsWeb);
    expect(await verdict(await claiming({ aud: ['A'] }), policy)).toMatch(/^token audiences \["A"\] is invalid for .*\["a","b"\]$/);
  });

  it('is taken by clocks that differ by no more than they may', async () => {
    const policy = { ...checking, clockSkewMs: 5000 };
    expect(await verdict(await claiming({ exp: nowSeconds - 4 }), policy)).toBe(itsWeb);
    expect(await verdict(await claiming({ exp: nowSeconds - 5 }), policy)).toBe('service account token has expired');
    expect(await verdict(await claiming({ nbf: nowSeconds + 5 }), policy)).toBe(itsWeb);
    expect(await verdict(await claiming({ nbf: nowSeconds + 6 }), policy)).toBe('service account token is not valid yet');
  });

  it('is vouched for by a cluster that is known, asked before the token is looked at', async () => {
    const clusters = { own: 'main', remote: ['east'], aliases: { e: 'east', m: 'main', x: 'nowhere' } };
    const policy = { ...checking, clusters };
    const token = await minted();
    const verdicts = await Promise.all([undefined, '', 'main', 'east', 'e', 'm'].map((id) => verdict(token, policy, id)));
    expect(verdicts.map((text) => text.split('@')[1])).toEqual(['main', 'main', 'main', 'east', 'east', 'main']);
    const unknown = (id: string): string =>
      `client claims to be in cluster "${id}", but we only know about local cluster "main" and remote clusters [east]`;
    expect(await verdict('Bearer garbage', policy, 'west')).toBe(unknown('west'));
    expect(await verdict(token, policy, 'x')).toBe(unknown('x'));
    expect(await verdict(token, policy, 'constructor')).toBe(unknown('constructor'));
  });
});
