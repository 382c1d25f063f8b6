import { describe, expect, it } from 'vitest';
import { Recent } from '../../src/session/recent.ts';

describe('recent values', () => {
  it('are found by their numbers until they are dropped, oldest first', () => {
    const recent = new Recent<string>();
    for (let number = 3; number < 30_000; number += 3) recent.add(number, `of ${number}`);
    expect(recent.size).toBe(9_999);
    for (let number = 3; number < 24_000; number += 3) expect(recent.drop()).toBe(`of ${number}`);
    expect([recent.get(3), recent.get(23_997), recent.get(24_001)]).toEqual([undefined, undefined, undefined]);
    expect([recent.get(24_000), recent.get(29_997)]).toEqual(['of 24000', 'of 29997']);
    recent.add(30_000, 'newest');
    expect(recent.get(30_000)).toBe('newest');
    expect(recent.size).toBe(2_001);
  });

  it('are found where a later one came before an earlier one', () => {
    const recent = new Recent<string>();
    for (const number of [1, 2, 6, 5, 3, 7, 4]) recent.add(number, `of ${number}`);
    for (const number of [1, 2, 3, 4, 5, 6, 7]) expect(recent.get(number)).toBe(`of ${number}`);
    expect([recent.drop(), recent.drop(), recent.drop()]).toEqual(['of 1', 'of 2', 'of 3']);
  });

  it('of which none is left give nothing', () => {
    const recent = new Recent<number>();
    expect(recent.drop()).toBeUndefined();
    recent.add(1, 1);
    expect([recent.drop(), recent.drop(), recent.size, recent.get(1)]).toEqual([1, undefined, 0, undefined]);
  });
});
