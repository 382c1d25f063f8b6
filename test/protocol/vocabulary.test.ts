import { describe, expect, it } from 'vitest';
import { matchesNode, matchesPattern } from '../../src/protocol/node.ts';
import { inPushOrder, resourceType, resourceTypeNamed, resourceTypes, TypeUrl } from '../../src/protocol/resource-type.ts';
import { matchesStream } from '../../src/protocol/stream-matcher.ts';

describe('A resource type', () => {
  it.each(['CDS', 'cds', 'clusters', 'envoy.config.cluster.v3.Cluster', TypeUrl.cluster])('is meant by %s', (word) => {
    expect(resourceTypeNamed(word)?.typeUrl).toBe(TypeUrl.cluster);
  });

  it('is not meant by a word that is none', () => expect(resourceTypeNamed('cluster-ish')).toBeUndefined());

  it('outside the table is named by its message and pushed last', () => {
    const own = resourceType('type.googleapis.com/acme.v1.Widget');
    expect([own.short, own.wildcard, own.fullState, own.answered]).toEqual(['Widget', false, false, true]);
    expect(inPushOrder([own.typeUrl, TypeUrl.secret])).toEqual([TypeUrl.secret, own.typeUrl]);
    expect(resourceTypeNamed('istio.io/debug/syncz')?.short).toBe('syncz');
  });

  it('comes in push order: CDS, EDS, LDS, RDS, then the rest', () => {
    const shuffled = [TypeUrl.runtime, TypeUrl.route, TypeUrl.listener, TypeUrl.endpoint, TypeUrl.secret, TypeUrl.cluster];
    expect(inPushOrder(shuffled).map((typeUrl) => resourceType(typeUrl).short)).toEqual(['CDS', 'EDS', 'LDS', 'RDS', 'SDS', 'RTDS']);
  });

  it('has a type URL, a short name and a key that no other has', () => {
    const words = resourceTypes.flatMap(({ typeUrl, short, key }) => [typeUrl, short, key]);
    expect(new Set(words).size).toBe(words.length);
    expect(Object.values(TypeUrl).sort()).toEqual(resourceTypes.map(({ typeUrl }) => typeUrl).sort());
  });
});

describe('A pattern', () => {
  it.each<[string, string, boolean]>([
    ['a.b', 'a.b', true],
    ['a.b', 'axb', false],
    ['a*', 'abc', true],
    ['*~shop.*', 'sidecar~1~shop.demo', true],
    ['a.*', 'axb', false],
    ['*', '', true],
    ['a*c', 'ab', false],
  ])('%s against "%s": %s', (pattern, text, expected) => expect(matchesPattern(pattern, text)).toBe(expected));
});

describe('A node matcher', () => {
  const node = {
    id: 'sidecar~1~shop.demo~d',
    cluster: 'shop',
    metadata: { NAMESPACE: 'demo', ENVOY_STATUS_PORT: 15021 },
    locality: { region: 'eu', zone: 'eu-1' },
  };

  it.each([
    ['no matcher', undefined, true],
    ['an id with *', { id: '*shop*' }, true],
    ['another id', { id: 'cart' }, false],
    ['all parts at once', { id: '*shop*', cluster: 'shop', metadata: { NAMESPACE: 'd*' }, locality: { region: 'eu' } }, true],
    ['one part that does not hold', { id: '*shop*', cluster: 'cart' }, false],
    ['metadata that is a number', { metadata: { ENVOY_STATUS_PORT: '15021' } }, true],
    ['metadata that is not there', { metadata: { NETWORK: '*' } }, false],
    ['another zone', { locality: { zone: 'eu-2' } }, false],
  ])('with %s', (_, matcher, expected) => expect(matchesNode(matcher, node)).toBe(expected));

  it('matches no stream whose node is not known yet', () => {
    expect(matchesStream({ node: { id: '*' } }, { variant: 'sotw' })).toBe(false);
    expect(matchesStream({ variant: 'sotw' }, { variant: 'sotw' })).toBe(true);
    expect(matchesStream({ variant: 'delta' }, { variant: 'sotw', node })).toBe(false);
    expect(matchesStream(undefined, { variant: 'sotw' })).toBe(true);
  });
});
