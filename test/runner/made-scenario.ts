import type { RunResult } from '../../src/runner/run-result.ts';
import type { Scenario } from '../../src/script/scenario.ts';
import { scenarioOfResources } from '../../src/script/scenario-of-resources.ts';

/** A scenario made in code: nothing served, nothing expected, unless said. */
export function madeScenario(parts: Partial<Scenario> = {}): Scenario {
  return {
    ...scenarioOfResources('made', []),
    title: 'Made in a test',
    layers: [],
    timeoutMs: 5_000,
    ...parts,
  };
}

/** A result made in code: all as expected, unless said. */
export function madeResult(parts: Partial<RunResult> = {}): RunResult {
  return {
    scenario: madeScenario(),
    variant: 'sotw',
    envoyVersion: '1.40.0',
    ok: true,
    expectations: [{ index: 0, sentence: 'Envoy is LIVE within 5 s.', status: 'met', atMs: 120 }],
    neverFired: [],
    problems: [],
    interrupted: false,
    durationMs: 1_234,
    timeline: [],
    ...parts,
  };
}
