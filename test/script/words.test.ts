import { describe, expect, it } from 'vitest';
import { durationMs, durationText } from '../../src/script/duration.ts';
import { matchesEvent, mismatch } from '../../src/script/event-pattern.ts';
import { matcherText, matchesValue, valueMatcher } from '../../src/script/matcher.ts';
import { nearestWord } from '../../src/script/nearest.ts';
import type { EventPattern } from '../../src/script/trigger.ts';
import { isVersionRange } from '../../src/script/version-range.ts';

describe('a duration', () => {
  it('has a unit', () => {
    expect(['200ms', '2s', '1.5s', '2m', '0s'].map(durationMs)).toEqual([200, 2000, 1500, 120_000, 0]);
    expect(['2', '2h', 's', '-1s', '1,5s', ' 2s'].map(durationMs)).toEqual(Array(6).fill(undefined));
  });

  it('is told as people write it', () => {
    expect([200, 1000, 1500, 60_000, 90_000, 61_000].map(durationText)).toEqual(['200 ms', '1 s', '1.5 s', '1 min', '1.5 min', '61 s']);
  });
});

describe('a matcher', () => {
  it.each([
    [503, 503, true],
    [503, '503', true],
    [503, 200, false],
    ['LIVE', 'LIVE', true],
    ['LIVE', 'ALIVE', false],
    ['>= 1', 1, true],
    ['>= 1', 0, false],
    ['>= 1', '', false],
    ['!= 0', 'x', false],
    ['/unknown  cluster/', 'unknown cluster', false],
    ['/unknown cluster/', "route:  unknown   cluster 'x'", true],
    ['/UNKNOWN/i', 'unknown', true],
    ['*/2', '2026-01-01T00:00:00Z/2', true],
    ['web', ['api', 'web'], true],
    ['web', [], false],
    [false, false, true],
    [0, undefined, false],
  ])('%j on %j', (written, found, holds) => {
    expect(matchesValue(valueMatcher(written), found)).toBe(holds);
  });

  it('for what is absent never takes a zero for it', () => {
    expect(matchesValue({ kind: 'absent' }, undefined)).toBe(true);
    expect(matchesValue({ kind: 'absent' }, 0)).toBe(false);
  });

  it('is told in English', () => {
    expect(['LIVE', '< 2', '!= 3', '/x/i', 'a*'].map((written) => matcherText(valueMatcher(written)))).toEqual([
      'LIVE',
      'less than 2',
      'not 3',
      'like /x/i',
      'like a*',
    ]);
  });
});

describe('an event pattern', () => {
  const pattern: EventPattern = {
    event: 'request.received',
    typeUrl: 't',
    node: { id: 'a*' },
    fields: { outcome: { kind: 'equals', value: 'ack' } },
  };
  const event = { event: 'request.received', typeUrl: 't', node: 'abc', outcome: 'ack' };
  const but = (change: Partial<typeof event>): typeof event => ({ ...event, ...change });

  it('matches what has all its parts', () => {
    expect(matchesEvent(pattern, event)).toBe(true);
    expect(matchesEvent(pattern, but({ event: 'response.sent' }))).toBe(false);
  });

  it('names the part that an event lacks', () => {
    expect(mismatch(pattern, but({ typeUrl: 'u' }))).toBe('type');
    expect(mismatch(pattern, but({ node: 'b' }))).toBe('node');
    expect(mismatch(pattern, but({ outcome: 'nack' }))).toBe('outcome');
  });
});

describe('the nearest word', () => {
  it('forgives other letters, their order, and other signs between them', () => {
    expect(nearestWord('realease', ['release', 'refuse'])).toBe('release');
    expect(nearestWord('CSD', ['EDS', 'CDS'])).toBe('CDS');
    expect(nearestWord('fetch-timeout', ['timeout', 'fetch_timeout'])).toBe('fetch_timeout');
    expect(nearestWord('zebra', ['release', 'refuse'])).toBeUndefined();
  });
});

describe('a range of Envoys', () => {
  it('is one or more bounds', () => {
    expect(['1.38', '>=1.39', '>=1.38 <1.40', '1.40.0'].map(isVersionRange)).toEqual([true, true, true, true]);
    expect(['latest', '', '>= 1.39', '1.x', '^1.39'].map(isVersionRange)).toEqual(Array(5).fill(false));
  });
});
