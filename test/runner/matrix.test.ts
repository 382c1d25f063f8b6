import { describe, expect, it } from 'vitest';
import { runMatrix } from '../../src/runner/matrix.ts';
import type { RunResult } from '../../src/runner/run-result.ts';
import { madeResult } from './made-scenario.ts';

/** Runs that end when the test says so. */
function runs(count: number) {
  const begun: number[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const planned = Array.from({ length: count }, (_, i) => () => {
    begun.push(i);
    return new Promise<RunResult>((resolve, reject) => {
      ends[i] = (error) => (error ? reject(error) : resolve(madeResult({ durationMs: i })));
    });
  });
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  return { begun, planned, end: async (i: number, error?: Error) => (ends[i]?.(error), settle()) };
}

describe('the matrix', () => {
  it('has no more runs under way than there are jobs, and gives results in their order', async () => {
    const { begun, planned, end } = runs(4);
    const results = runMatrix(planned, { jobs: 2 });
    expect(begun).toEqual([0, 1]);
    await end(1);
    expect(begun).toEqual([0, 1, 2]);
    await end(2);
    await end(3);
    await end(0);
    expect((await results).map(({ durationMs }) => durationMs)).toEqual([0, 1, 2, 3]);
  });

  it('begins no further run after an error, waits for those under way, then throws it', async () => {
    const { begun, planned, end } = runs(4);
    let settled = false;
    const results = runMatrix(planned, { jobs: 2 }).finally(() => (settled = true));
    const failing = expect(results).rejects.toThrow('no Envoy');
    await end(0, new Error('no Envoy'));
    expect([begun, settled]).toEqual([[0, 1], false]);
    await end(1);
    await failing;
    expect(begun).toEqual([0, 1]);
  });

  it('begins no further run once called off, and gives what there is', async () => {
    const { begun, planned, end } = runs(3);
    const calledOff = new AbortController();
    const results = runMatrix(planned, { jobs: 1, signal: calledOff.signal });
    calledOff.abort();
    await end(0);
    expect(await results).toHaveLength(1);
    expect(begun).toEqual([0]);
  });
});
