import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { callerOfCertificate, checkClientCertificate } from '../../src/auth/client-certificate.ts';
import { authPolicy } from '../../src/auth/policy.ts';
import { createAuthority } from '../../src/ca/authority.ts';
import { systemClock } from '../../src/clock.ts';

const authority = createAuthority({ clock: systemClock });
const policy = authPolicy({ trustDomains: ['cluster.local', 'old'] });
const uri = 'spiffe://cluster.local/ns/demo/sa/web';

async function holding(...names: readonly string[]): Promise<X509Certificate> {
  return new X509Certificate((await authority.serverCertificate({ names })).certificatePem);
}

describe('a client certificate', () => {
  it.each<[readonly string[], object]>([
    [[uri], { uri }],
    [['spiffe://old/ns/demo/sa/web'], { uri: 'spiffe://old/ns/demo/sa/web' }],
    [['web.example', uri, '10.0.0.1'], { uri }],
    [['spiffe://cluster.local/other/form'], { uri: 'spiffe://cluster.local/other/form' }],
    [['web.example'], { reason: 'peer certificate does not contain 1 URI type SAN, detected 0' }],
    [[uri, uri], { reason: 'peer certificate does not contain 1 URI type SAN, detected 2' }],
    [['spiffe://a/b,URI:spiffe://cluster.local/ns/x/sa/y'], { reason: 'no cert pool found for trust domain a' }],
    [['spiffe://other/ns/demo/sa/web'], { reason: 'no cert pool found for trust domain other' }],
    [['https://cluster.local/'], { reason: 'the URI https://cluster.local/ of the peer certificate is no SPIFFE id' }],
  ])('of %j', async (names, finding) => {
    expect(checkClientCertificate(await holding(...names), undefined, policy)).toEqual(finding);
  });

  it('of the right name is no good if its chain is none', async () => {
    expect(checkClientCertificate(await holding(uri), 'why not', policy)).toEqual({ reason: 'why not' });
    expect(checkClientCertificate(await holding('spiffe://x/'), 'why not', policy)).toEqual({
      reason: 'no cert pool found for trust domain x',
    });
  });

  it('tells who the caller is by its name, if that has the form of Istio', () => {
    const peer = { peer: 'p', secure: true };
    expect(callerOfCertificate(peer)).toBe('no verified chain is found');
    expect(callerOfCertificate({ ...peer, certificateUri: uri })).toEqual({
      identity: { trustDomain: 'cluster.local', namespace: 'demo', serviceAccount: 'web' },
      by: 'client certificate',
    });
    expect(callerOfCertificate({ ...peer, certificateUri: 'spiffe://a/b' })).toMatch(/^the identity spiffe:\/\/a\/b is not of the form/);
  });
});
