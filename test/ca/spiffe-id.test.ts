import { describe, expect, it } from 'vitest';
import { formatSpiffeId, parseSpiffeId, trustDomainOf } from '../../src/ca/spiffe-id.ts';

describe('a SPIFFE id', () => {
  it('is read and written in the form of Istio', () => {
    const uri = 'spiffe://my.domain/ns/demo/sa/web';
    expect(parseSpiffeId(uri)).toEqual({ trustDomain: 'my.domain', namespace: 'demo', serviceAccount: 'web' });
    expect(formatSpiffeId({ trustDomain: 'my.domain', namespace: 'demo', serviceAccount: 'web' })).toBe(uri);
  });

  it.each([
    '',
    'spiffe://',
    'spiffe://td',
    'spiffe://td/ns/a',
    'spiffe://td/ns/a/sa/',
    'spiffe:///ns/a/sa/b',
    'spiffe://td/ns//sa/b',
    'spiffe://td/sa/a/ns/b',
    'spiffe://td/ns/a/sa/b/c',
    'https://td/ns/a/sa/b',
  ])('is not in %j', (uri) => expect(parseSpiffeId(uri)).toBeUndefined());

  it('tells its trust domain, whatever follows', () => {
    expect(['spiffe://td', 'spiffe://td/x', 'spiffe:///x', 'https://td'].map(trustDomainOf)).toEqual(['td', 'td', undefined, undefined]);
  });
});
