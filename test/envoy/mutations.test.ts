import { beforeAll, describe, expect, it } from 'vitest';
import { mutatedScenario } from '../../src/script/mutation.ts';
import { packagedRuns, runOnRealEnvoy, wordsOf } from './packaged-runs.ts';
import { realEnvoy } from './real-envoy.ts';

beforeAll(async () => {
  await realEnvoy();
});

const runs = await packagedRuns();

describe.concurrent('a scenario that is broken on purpose', () => {
  it.each(runs)('$name is seen to fail, with $variant, and says why', async ({ file, variant }) => {
    const result = await runOnRealEnvoy(await mutatedScenario(file), variant);
    expect(result.ok, wordsOf(result)).toBe(false);
    const reasons = [
      ...result.problems,
      ...result.expectations.filter(({ status }) => status === 'failed').map(({ reason }) => reason),
      ...result.neverFired.map(({ sentence }) => sentence),
    ];
    expect(
      reasons.filter((reason) => reason !== undefined && reason !== ''),
      wordsOf(result),
    ).not.toEqual([]);
  });
});
