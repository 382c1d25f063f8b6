import { describe, expect, it } from 'vitest';
import { mergeJson } from '../../src/envoy/json.ts';

describe('mergeJson', () => {
  it('merges objects key by key, replaces lists and deletes what is null', () => {
    const base = { a: { x: 1, y: 2 }, list: [1, 2], gone: true };
    expect(mergeJson(base, { a: { y: 3, z: 4 }, list: [9], gone: null })).toEqual({ a: { x: 1, y: 3, z: 4 }, list: [9] });
    expect(base).toEqual({ a: { x: 1, y: 2 }, list: [1, 2], gone: true });
  });

  it('makes an object of what was none, without the deletions in it', () => {
    expect(mergeJson({ a: 1 }, { a: { b: null, c: 2 } })).toEqual({ a: { c: 2 } });
  });

  it('does not touch the prototype of objects', () => {
    mergeJson({}, JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
