import { describe, expect, it } from 'vitest';
import { caRetryPauseMs, exponentialBackOff, isRetriedByCaClient, rotationDelayMs } from '../../src/agent/back-off.ts';

const middle = (): number => 0.5;
const hourMs = 3_600_000;

describe('the pauses of the agent', () => {
  it('grow by half from 500 ms up to a minute', () => {
    const backOff = exponentialBackOff(middle);
    const pauses = Array.from({ length: 14 }, () => backOff.next());
    expect(pauses.slice(0, 4)).toEqual([500, 750, 1125, 1687.5]);
    expect(pauses.at(-1)).toBe(60_000);
  });

  it('vary by half, both ways', () => {
    expect(exponentialBackOff(() => 0).next()).toBe(250);
    expect(exponentialBackOff(() => 0.999_999).next()).toBeCloseTo(750, 1);
  });

  it('double between tries of one call to the CA', () => {
    expect([1, 2, 3, 4].map((attempt) => caRetryPauseMs(attempt, middle))).toEqual([100, 200, 400, 800]);
  });

  it('come before another try of what may pass, never of a refusal', () => {
    expect([14, 13, 8, 4].every(isRetriedByCaClient)).toBe(true);
    expect([16, 7, 3, 2, 12].some(isRetriedByCaClient)).toBe(false);
  });
});

describe('a certificate', () => {
  const grace = { ratio: 0.5, jitter: 0.01 };

  it('is renewed at half of its life, give or take a hundredth', () => {
    expect(rotationDelayMs(0, 24 * hourMs, 0, grace, () => 0)).toBe(12 * hourMs);
    for (const random of [0.1, 0.499, 0.7, 0.99]) {
      const delay = rotationDelayMs(0, 24 * hourMs, 0, grace, () => random) / hourMs;
      expect(delay).toBeGreaterThan(11.7);
      expect(delay).toBeLessThan(12.3);
    }
  });

  it('that is past that is renewed at once', () => {
    expect(rotationDelayMs(0, hourMs, 2 * hourMs, grace, () => 0)).toBe(0);
    expect(rotationDelayMs(0, hourMs, 0, { ratio: 1, jitter: 0 }, () => 0)).toBe(0);
  });
});
