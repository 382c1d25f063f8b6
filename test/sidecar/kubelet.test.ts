import { describe, expect, it } from 'vitest';
import { dividedQuantity } from '../../src/sidecar/quantity.ts';
import { expandVariables } from '../../src/sidecar/variable-expansion.ts';

const known: Readonly<Record<string, string>> = { A: 'one', EMPTY: '', CHAIN: '$(A)' };
const expand = (text: string): string => expandVariables(text, (name) => known[name]).text;

describe("the kubelet's expansion of $(NAME)", () => {
  it.each([
    ['a name that is known', '$(A).svc', 'one.svc'],
    ['several', '$(A)-$(A)', 'one-one'],
    ['the empty text', 'x$(EMPTY)y', 'xy'],
    ['a name that is not known stays', '$(NOBODY)', '$(NOBODY)'],
    ['an escaped one is not expanded', '$$(A)', '$(A)'],
    ['an escaped dollar before one that is', '$$$(A)', '$one'],
    ["the shell's forms mean nothing", '$A ${A}', '$A ${A}'],
    ['one without its end', '$(A', '$(A'],
    ['a dollar at the end', 'x$', 'x$'],
    ['what comes out is not expanded again', '$(CHAIN)', '$(A)'],
  ])('%s: %s', (_, text, expanded) => expect(expand(text)).toBe(expanded));

  it('tells which names it used and which it does not know', () => {
    expect(expandVariables('$(A)$(B)$$(C)', (name) => known[name])).toMatchObject({ used: ['A'], unknown: ['B'] });
  });
});

describe('a quantity of Kubernetes by a divisor', () => {
  it.each([
    ['2', '1', 2n],
    ['2000m', '1', 2n],
    ['1500m', '1', 2n],
    ['100m', '1', 1n],
    ['100m', '1m', 100n],
    ['1Gi', '1', 1_073_741_824n],
    ['1Gi', '1Mi', 1024n],
    ['1.5Gi', undefined, 1_610_612_736n],
    ['1e3', '1', 1000n],
    ['0.5', '0', 1n],
    ['.5', '1', 1n],
    ['5k', '1', 5000n],
  ])('is rounded up: %s by %s', (quantity, divisor, value) => expect(dividedQuantity(quantity, divisor)).toBe(value));

  it.each(['', 'two', '1 Gi', '1GiB', '-1', '1e'])('is none of "%s"', (text) => expect(dividedQuantity(text)).toBeUndefined());
});
