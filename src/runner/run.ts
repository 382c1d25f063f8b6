import { FakeIstiodError } from '../errors.ts';
import type { Scenario } from '../script/scenario.ts';
import type { RunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';

/**
 * One run: fake istiod from the scenario, a real Envoy, and the scenario's expectations on both. Everything is stopped in the end, whatever
 * happens. What went against the expectations is in the result; errors are only for what kept the run from taking place: `envoy.start-failed`,
 * `bootstrap.invalid`, `port.in-use`, `output.unwritable` and the like.
 */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<RunResult> {
  void scenario;
  void options;
  throw new FakeIstiodError('internal', 'not written yet');
}
