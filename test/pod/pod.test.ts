import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { Identity } from '../../src/auth/identity.ts';
import { LazyPod } from '../../src/pod/lazy-pod.ts';
import type { PodEvent } from '../../src/pod/pod-event.ts';
import { manualClock } from '../clock.ts';

const now = new Date('2026-03-01T12:00:00Z');
const seconds = (date: Date): number => date.getTime() / 1000;

const pods: LazyPod[] = [];
afterEach(async () => {
  for (const pod of pods.splice(0)) await pod.stop();
});

function newPod() {
  const clock = manualClock(now);
  const events: PodEvent[] = [];
  const doubts: string[] = [];
  const emit = (event: object): void => void ('reason' in event && doubts.push(String(event.reason)));
  const identity = new Identity({ clock, emit, matches: () => false });
  const pod = new LazyPod({ clock, identity, emit: (event) => events.push(event), address: () => ({ host: '127.0.0.1', port: 1 }) });
  pods.push(pod);
  return { pod, identity, doubts, events };
}

/** The token of a bootstrap, without the word before it. */
function tokenIn(header: string | undefined): string {
  expect(header).toMatch(/^Bearer ./);
  return (header ?? '').slice('Bearer '.length);
}

function tokenInFile(file: string | undefined): string {
  const { resources } = JSON.parse(readFileSync(file ?? '', 'utf8')) as {
    readonly resources: readonly { readonly generic_secret: { readonly secret: { readonly inline_string: string } } }[];
  };
  return tokenIn(resources[0]?.generic_secret.secret.inline_string);
}

describe('a bootstrap that wants nothing of identity', () => {
  it('gets nothing', async () => {
    expect(await newPod().pod.prepare({ fetchTimeoutMs: 0 })).toEqual({});
    expect(await newPod().pod.prepare()).toEqual({});
  });
});

describe('a token of the proxy', () => {
  it('is for istio-ca, of default/default, good for an hour and signed by the server', async () => {
    const { pod, identity } = newPod();
    identity.changePolicy({});
    const { initialMetadata } = await pod.prepare({ token: {} });
    const token = tokenIn(initialMetadata?.['authorization']);
    expect(decodeJwt(token)).toMatchObject({
      aud: ['istio-ca'],
      sub: 'system:serviceaccount:default:default',
      iss: 'https://kubernetes.default.svc.cluster.local',
      nbf: seconds(now),
      exp: seconds(now) + 3600,
    });
    expect(initialMetadata).not.toHaveProperty('clusterid');
    const admission = await identity.guard.admit('xds', { peer: 'p', secure: false, authorization: `Bearer ${token}` });
    expect(admission).toMatchObject({ caller: { identity: { namespace: 'default', serviceAccount: 'default' } } });
  });

  it('is what the scenario says', async () => {
    const { pod } = newPod();
    const wish = { audiences: ['a', 'b'], namespace: 'n', serviceAccount: 's', issuer: 'i', ttlMs: 5000, clusterId: 'c' };
    const { initialMetadata } = await pod.prepare({ token: wish });
    expect(initialMetadata?.['clusterid']).toBe('c');
    expect(decodeJwt(tokenIn(initialMetadata?.['authorization']))).toMatchObject({
      aud: ['a', 'b'],
      sub: 'system:serviceaccount:n:s',
      iss: 'i',
      exp: seconds(now) + 5,
    });
  });

  it('may have expired an hour ago', async () => {
    const { initialMetadata } = await newPod().pod.prepare({ token: { expired: true } });
    const { nbf, exp } = decodeJwt(tokenIn(initialMetadata?.['authorization']));
    expect([nbf, exp]).toEqual([seconds(now) - 7200, seconds(now) - 3600]);
  });

  it.each([
    ['stranger', 'ES256', 'no known key has signed the token'],
    ['nobody', 'none', 'the token is signed by an algorithm that is not allowed'],
  ] as const)('may be signed by a %s, whom the server does not believe', async (signedBy, alg, doubt) => {
    const { pod, identity, doubts } = newPod();
    identity.changePolicy({});
    const { initialMetadata } = await pod.prepare({ token: { signedBy } });
    const authorization = initialMetadata?.['authorization'] ?? '';
    expect(decodeProtectedHeader(tokenIn(authorization)).alg).toBe(alg);
    expect(await identity.guard.admit('xds', { peer: 'p', secure: false, authorization })).toMatchObject({ refused: { code: 16 } });
    expect(doubts.join()).toContain(doubt);
  });
});

describe('a token file', () => {
  it('holds the token from the start, in a folder of its own, and is gone with the pod', async () => {
    const { pod } = newPod();
    const { tokenFile, initialMetadata } = await pod.prepare({ tokenFile: { audiences: ['a'], clusterId: 'c' } });
    expect(initialMetadata).toEqual({ clusterid: 'c' });
    expect(decodeJwt(tokenInFile(tokenFile))).toMatchObject({ aud: ['a'] });
    const folder = dirname(tokenFile ?? '');
    expect(readdirSync(folder)).toHaveLength(1);
    expect(statSync(folder).mode & 0o077, 'nobody else may look into it').toBe(0);
    await pod.stop();
    expect(existsSync(folder)).toBe(false);
  });

  it('is replaced by another file, never written over, and the event says what is in it', async () => {
    const { pod, events } = newPod();
    const { tokenFile = '' } = await pod.prepare({ tokenFile: { audiences: ['a'] } });
    const before = statSync(tokenFile).ino;
    await pod.perform({ kind: 'write-token', token: { audiences: ['b'], ttlMs: 60_000 } });
    expect(decodeJwt(tokenInFile(tokenFile))).toMatchObject({ aud: ['b'] });
    expect(statSync(tokenFile).ino).not.toBe(before);
    expect(readdirSync(dirname(tokenFile))).toHaveLength(1);
    expect(events).toEqual([{ event: 'token.written', audiences: ['b'], notAfter: '2026-03-01T12:01:00.000Z' }]);
  });

  it('has the last of several tokens that are written at once', async () => {
    const { pod, events } = newPod();
    const { tokenFile } = await pod.prepare({ tokenFile: {} });
    await Promise.all(['a', 'b', 'c'].map((audience) => pod.perform({ kind: 'write-token', token: { audiences: [audience] } })));
    expect(events.map((event) => ('audiences' in event ? event.audiences : []))).toEqual([['a'], ['b'], ['c']]);
    expect(decodeJwt(tokenInFile(tokenFile))).toMatchObject({ aud: ['c'] });
  });
});

describe('a client certificate of the proxy', () => {
  it('is of the authority whose root Envoy trusts', async () => {
    const { pod, identity } = newPod();
    const { tls } = await pod.prepare({ tls: { sni: 'a', subjectAltName: false }, certificate: { serviceAccount: 'web', ttlMs: 60_000 } });
    expect(tls).toMatchObject({ sni: 'a', subjectAltName: false, rootCert: await identity.authority.rootPem() });
    const certificate = new X509Certificate(tls?.certificate?.chain ?? '');
    expect(certificate.subjectAltName).toBe('URI:spiffe://cluster.local/ns/default/sa/web');
    expect(new Date(certificate.validTo)).toEqual(new Date('2026-03-01T12:01:00Z'));
    expect(certificate.verify(new X509Certificate(tls?.rootCert ?? '').publicKey)).toBe(true);
  });

  it('may be of another trust domain', async () => {
    const { tls } = await newPod().pod.prepare({ tls: {}, certificate: { trustDomain: 'other', namespace: 'n' } });
    expect(new X509Certificate(tls?.certificate?.chain ?? '').subjectAltName).toBe('URI:spiffe://other/ns/n/sa/default');
    expect(tls).not.toHaveProperty('sni');
  });
});
