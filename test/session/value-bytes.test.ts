import { describe, expect, it } from 'vitest';
import { valueBytes } from '../../src/session/value-bytes.ts';

describe('What a value takes', () => {
  it('grows with its characters, its keys and its members', () => {
    const bare = valueBytes({ a: [] });
    expect(valueBytes({ a: ['x'.repeat(1000)] })).toBeGreaterThanOrEqual(bare + 1000);
    expect(valueBytes({ ['a'.repeat(1001)]: [] })).toBe(bare + 1000);
    expect(valueBytes({ a: Array.from({ length: 1000 }, () => null) })).toBeGreaterThan(bare + 8000);
  });

  it('is known however deep it is', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(valueBytes(deep)).toBeGreaterThan(100_000);
  });
});
