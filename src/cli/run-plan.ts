import { join } from 'node:path';
import { FakeIstiodError } from '../errors.ts';
import type { Variant } from '../index.ts';
import type { Scenario } from '../script/scenario.ts';

/** One run that is to be made. */
export interface PlannedRun {
  readonly scenario: Scenario;
  readonly variant: Variant;
  /** How it is called among the others: `ready (delta)`. */
  readonly label: string;
  readonly reportDir?: string;
}

export interface PlanOptions {
  /** Left out: each scenario's own variants. */
  readonly variant?: 'sotw' | 'delta' | 'both';
  /** The folder for reports; one of its own for each run if there are several. */
  readonly report?: string;
}

/** Every scenario with every variant that it is for. Error `usage.invalid` if a scenario is not for the variant that was asked for. */
export function planRuns(scenarios: readonly Scenario[], { variant = 'both', report }: PlanOptions): readonly PlannedRun[] {
  const pairs = scenarios.flatMap((scenario) => variantsOf(scenario, variant).map((each) => ({ scenario, variant: each })));
  const folders = new Set<string>();
  return pairs.map((pair) => ({
    ...pair,
    label: `${pair.scenario.name} (${pair.variant})`,
    ...(report === undefined
      ? {}
      : { reportDir: pairs.length === 1 ? report : join(report, freeName(`${pair.scenario.name}-${pair.variant}`, folders)) }),
  }));
}

function variantsOf({ name, envoy: { variants } }: Scenario, wanted: 'sotw' | 'delta' | 'both'): readonly Variant[] {
  if (wanted === 'both') return variants;
  if (variants.includes(wanted)) return [wanted];
  throw new FakeIstiodError('usage.invalid', `the scenario \`${name}\` is for ${variants.join(' and ')} only`, {
    remedy: 'Leave --variant out',
  });
}

/** `name`, or with a number behind it if two scenarios of different folders are called the same. */
function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let i = 2; taken.has(free); i++) free = `${name}-${i}`;
  taken.add(free);
  return free;
}
