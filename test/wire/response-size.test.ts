import { describe, expect, it } from 'vitest';
import type { Response } from '../../src/protocol/response.ts';
import { responseMessage, responseSize } from '../../src/wire/response-size.ts';
import { cluster, response } from './recorded-streams.ts';

describe.each(['sotw', 'delta'] as const)('The size of a response in %s', (variant) => {
  it.each<[string, Partial<Response>]>([
    ['nothing', { resources: [] }],
    ['one resource', { resources: [cluster('a')] }],
    ['a long name that is not ASCII', { resources: [cluster('ä'.repeat(200))], nonce: 'ö' }],
    ['a version of its own', { resources: [{ ...cluster('a'), version: 'v1' }] }],
    ['a lifetime', { resources: [{ ...cluster('a'), ttlMs: 1500 }] }],
    ['much', { resources: Array.from({ length: 300 }, (_, i) => cluster(`c${i}`)) }],
    ['who answers', { controlPlane: `{"Component":"istiod","ID":"${'a'.repeat(150)}"}` }],
    ['no version', { version: '', nonce: '', typeUrl: '' }],
    ...(variant === 'delta' ? ([['removed names', { removed: ['a', 'b'.repeat(130), ''] }]] as [string, Partial<Response>][]) : []),
  ])('with %s is that of its message', (_, parts) => {
    const made = response(variant, parts);
    expect(responseSize(made)).toBe(responseMessage(made).length);
    expect(responseSize({ ...made, nonce: 'another' })).toBe(responseMessage({ ...made, nonce: 'another' }).length);
  });
});
