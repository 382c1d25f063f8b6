import { describe, expect, it } from 'vitest';
import { adjustNames, excessOf, replaceNames, wants, type Subscription, type SubscriptionChange } from '../../src/protocol/subscription.ts';

/** `* a b` for what is wanted, `+a` for what is asked for anew, `everything` if the wildcard is new. */
function said({ subscription, added, becameWildcard }: SubscriptionChange): string {
  const wanted = [...(subscription.wildcard === 'no' ? [] : [`*${subscription.wildcard}`]), ...[...subscription.names].sort()];
  return [...wanted, ...[...added].sort().map((name) => `+${name}`), ...(becameWildcard ? ['everything'] : [])].join(' ');
}

type Sotw = readonly string[];

describe('A SotW subscription', () => {
  it.each<[string, boolean, Sotw[], string]>([
    ['that names nothing is a wildcard', true, [[]], '*legacy everything'],
    ['that names nothing is nothing for a type without wildcard', false, [[]], ''],
    ['that goes on naming nothing stays a wildcard', true, [[], []], '*legacy'],
    ['that names * is a wildcard for any type', false, [['*']], '*explicit everything'],
    ['may have names beside *', true, [['*', 'a']], '*explicit a +a everything'],
    ['goes on as a wildcard when * takes the place of nothing', true, [[], ['*', 'a']], '*explicit a +a'],
    ['is the names given', true, [['a', 'b']], 'a b +a +b'],
    ['tells what was added', true, [['a'], ['a', 'b']], 'a b +b'],
    ['drops what is no longer named', true, [['a', 'b'], ['b']], 'b'],
    ['ends the wildcard when names are given', true, [[], ['a']], 'a +a'],
    ['ends the wildcard when * is no longer named', true, [['*', 'a'], ['a']], 'a'],
    ['gives everything up when it names nothing after names', true, [['a'], []], ''],
    ['gives everything up when it names nothing after *', true, [['*'], []], ''],
    ['asks anew for a name that was dropped', true, [['a'], [], ['a']], 'a +a'],
    ['becomes a wildcard again when * is named again', true, [['*'], ['a'], ['*']], '*explicit everything'],
  ])('%s', (_, wildcardType, requests, expected) => {
    let change: SubscriptionChange | undefined;
    for (const names of requests) change = replaceNames(change?.subscription, names, wildcardType);
    expect(said(change!)).toBe(expected);
  });
});

type Delta = readonly [subscribe: readonly string[], unsubscribe: readonly string[]];

describe('A delta subscription', () => {
  it.each<[string, boolean, Delta[], string]>([
    ['that begins with nothing is a wildcard', true, [[[], []]], '*legacy everything'],
    ['that begins with nothing is nothing for a type without wildcard', false, [[[], []]], ''],
    ['that begins by giving a name up is a wildcard: it named nothing', true, [[[], ['a']]], '*legacy everything'],
    [
      'stays as it was when a request changes nothing',
      true,
      [
        [['a'], []],
        [[], []],
      ],
      'a',
    ],
    [
      'stays a wildcard when names are added to a legacy one',
      true,
      [
        [[], []],
        [['a'], []],
      ],
      '*legacy a +a',
    ],
    ['is no wildcard when it begins with names', true, [[['a'], []]], 'a +a'],
    ['is a wildcard with *', false, [[['*'], []]], '*explicit everything'],
    ['may have names beside *', true, [[['*', 'a'], []]], '*explicit a +a everything'],
    [
      'ends a legacy wildcard only by giving * up',
      true,
      [
        [[], []],
        [['a'], []],
        [[], ['*']],
      ],
      'a',
    ],
    [
      'ends an explicit wildcard by giving * up',
      true,
      [
        [['*', 'a'], []],
        [[], ['*']],
      ],
      'a',
    ],
    [
      'asks anew for a name that is subscribed again',
      true,
      [
        [['a'], []],
        [['a'], []],
      ],
      'a +a',
    ],
    [
      'drops names one by one',
      true,
      [
        [['a', 'b'], []],
        [[], ['a']],
      ],
      'b',
    ],
    [
      'is told again of a name given up that the wildcard covers',
      true,
      [
        [['*', 'a'], []],
        [[], ['a']],
      ],
      '*explicit +a',
    ],
    [
      'is not told of a name given up that it never named',
      true,
      [
        [['*'], []],
        [[], ['a']],
      ],
      '*explicit',
    ],
    ['takes a name given both ways as given up', true, [[['a', 'b'], ['a']]], 'b +b'],
    ['asks for nothing with * both ways, as an on-demand client does', true, [[['*'], ['*']]], ''],
    [
      'does not become a legacy wildcard later',
      true,
      [
        [['*'], ['*']],
        [[], []],
      ],
      '',
    ],
  ])('%s', (_, wildcardType, requests, expected) => {
    let change: SubscriptionChange | undefined;
    for (const [subscribe, unsubscribe] of requests) change = adjustNames(change?.subscription, subscribe, unsubscribe, wildcardType);
    expect(said(change!)).toBe(expected);
  });
});

describe('What a subscription wants', () => {
  const named: Subscription = { wildcard: 'no', names: new Set(['a']) };
  it('is what it names', () => expect([wants(named, 'a'), wants(named, 'b')]).toEqual([true, false]));
  it('is anything for a wildcard', () => expect(wants({ ...named, wildcard: 'legacy' }, 'b')).toBe(true));
});

describe('A subscription that grows past any mesh', () => {
  it('ends the stream, and only then', () => {
    const names = Array.from({ length: 30_000 }, (_, i) => `n${i}`);
    const whole = adjustNames(undefined, names, [], false).subscription;
    expect(excessOf(whole)).toBeUndefined();
    const { subscription } = adjustNames(
      whole,
      names.map((name) => `m${name}`),
      [],
      false,
    );
    expect(excessOf(subscription)).toEqual({ code: 8, message: 'the stream subscribes to more than 40000 names of one type' });
  });
});
