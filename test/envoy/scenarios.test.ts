import { beforeAll, describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/script/load.ts';
import { packagedRuns, runOnRealEnvoy, wordsOf } from './packaged-runs.ts';
import { realEnvoy } from './real-envoy.ts';

beforeAll(async () => {
  await realEnvoy();
});

const runs = await packagedRuns();

describe.concurrent('a real Envoy', () => {
  it.each(runs)('does what the scenario $name expects of it, speaking $variant', async ({ file, variant }) => {
    const scenario = await loadScenario(file);
    if (!scenario.envoy.variants.includes(variant)) return expect(scenario.envoy.variants).not.toEqual([]);
    const result = await runOnRealEnvoy(scenario, variant);
    expect(result.ok, wordsOf(result)).toBe(true);
    expect(result.expectations.length, 'a scenario that expects nothing proves nothing').toBeGreaterThan(0);
  });
});
