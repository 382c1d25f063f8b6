import type { RunResult } from '../../src/runner/run-result.ts';
import { runScenario } from '../../src/runner/run.ts';
import { resultText } from '../../src/runner/summary-table.ts';
import { eventText } from '../../src/observe/event-text.ts';
import type { Variant } from '../../src/protocol/request.ts';
import { loadScenario } from '../../src/script/load.ts';
import { packagedScenarios } from '../../src/script/packaged.ts';
import type { PackagedScenario } from '../../src/script/packaged.ts';
import type { Scenario } from '../../src/script/scenario.ts';
import { realEnvoy } from './real-envoy.ts';

export interface PackagedRun extends PackagedScenario {
  readonly scenario: Scenario;
  readonly variant: Variant;
}

/** Every scenario of the package with each variant that it is for. */
export async function packagedRuns(): Promise<readonly PackagedRun[]> {
  const runs = (await packagedScenarios()).map(async (packaged) => {
    const scenario = await loadScenario(packaged.file);
    return scenario.envoy.variants.map((variant) => ({ ...packaged, scenario, variant }));
  });
  return (await Promise.all(runs)).flat();
}

/** Runs a scenario against the Envoy under test. */
export async function runOnRealEnvoy(scenario: Scenario, variant: Variant): Promise<RunResult> {
  return runScenario(scenario, { variant, envoy: await realEnvoy() });
}

/** The result in words with all that happened, for whoever reads why a test failed. */
export function wordsOf(result: RunResult): string {
  return [resultText(result), ...result.timeline.slice(-40).map((event) => eventText(event, { width: 160 }))].join('\n');
}
