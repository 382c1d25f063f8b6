import type { LoadScenarioOptions, ScenarioSource } from './load.ts';
import type { Scenario } from './scenario.ts';

/**
 * The scenario with its own `mutation` made: a run of it must fail.
 *
 * @throws FakeIstiodError as `loadScenario`, and `scenario.invalid` if there is no mutation or it points nowhere.
 */
export async function mutatedScenario(source: ScenarioSource, options: LoadScenarioOptions = {}): Promise<Scenario> {
  throw new Error(`not yet ${String(source)} ${String(options.maxInputBytes)}`);
}
