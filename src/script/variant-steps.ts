import type { Variant } from '../protocol/request.ts';
import type { Scenario } from './scenario.ts';

/** The scenario as a run of one variant has it: without the steps of the other. Expectations keep their filters. */
export function scenarioForVariant(scenario: Scenario, variant: Variant): Scenario {
  if (scenario.steps.every((step) => step.variant === undefined || step.variant === variant)) return scenario;
  return { ...scenario, steps: scenario.steps.filter((step) => step.variant === undefined || step.variant === variant) };
}
