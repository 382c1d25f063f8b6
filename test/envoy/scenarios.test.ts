import { beforeAll, describe, expect, it } from 'vitest';
import { packagedRuns, runOnRealEnvoy, wordsOf } from './packaged-runs.ts';
import { realEnvoy } from './real-envoy.ts';

beforeAll(async () => {
  await realEnvoy();
});

const runs = await packagedRuns();

describe.concurrent('a real Envoy', () => {
  it.each(runs)('does what the scenario $name expects of it, speaking $variant', async ({ scenario, variant }) => {
    const result = await runOnRealEnvoy(scenario, variant);
    expect(result.ok, wordsOf(result)).toBe(true);
    expect(result.expectations.length, 'a scenario that expects nothing proves nothing').toBeGreaterThan(0);
  });
});
