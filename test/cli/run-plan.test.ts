import { describe, expect, it } from 'vitest';
import { planRuns } from '../../src/cli/run-plan.ts';
import type { Scenario } from '../../src/script/scenario.ts';

const scenario = (name: string, variants: readonly ('sotw' | 'delta')[] = ['sotw', 'delta']): Scenario =>
  ({ name, envoy: { args: [], variants } }) as unknown as Scenario;

describe('the plan of runs', () => {
  it('has every scenario with both variants', () => {
    expect(planRuns([scenario('a'), scenario('b')], {}).map(({ label }) => label)).toEqual([
      'a (sotw)',
      'a (delta)',
      'b (sotw)',
      'b (delta)',
    ]);
  });

  it('leaves out variants that a scenario is not for', () => {
    expect(planRuns([scenario('a', ['delta'])], { variant: 'both' }).map(({ variant }) => variant)).toEqual(['delta']);
  });

  it('says so when the one variant asked for is none of the scenario', () => {
    expect(() => planRuns([scenario('a', ['delta'])], { variant: 'sotw' })).toThrow(
      'the scenario `a` is for delta only. Leave --variant out',
    );
  });

  it('gives a single run the report folder itself', () => {
    expect(planRuns([scenario('a')], { variant: 'sotw', report: 'out' }).map(({ reportDir }) => reportDir)).toEqual(['out']);
  });

  it('gives each of several runs a folder of its own, also under one name', () => {
    expect(planRuns([scenario('a', ['sotw']), scenario('a', ['sotw'])], { report: 'out' }).map(({ reportDir }) => reportDir)).toEqual([
      'out/a-sotw',
      'out/a-sotw-2',
    ]);
  });
});
