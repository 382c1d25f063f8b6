import type { RunResult } from './run-result.ts';

/** A run that is still to be made. */
export type PlannedRun = () => Promise<RunResult>;

/**
 * Makes all runs, at most `jobs` at a time (default 1), and gives their results in the order of `runs`. An error of one run ends the
 * matrix: no further run begins, those under way are awaited, then the error is thrown. After `signal` aborts no further run begins
 * either, and the results so far are given.
 */
export async function runMatrix(
  runs: readonly PlannedRun[],
  { jobs = 1, signal }: { readonly jobs?: number; readonly signal?: AbortSignal } = {},
): Promise<readonly RunResult[]> {
  const results = new Map<number, RunResult>();
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (next < runs.length && !failure && !signal?.aborted) {
      const index = next++;
      try {
        const run = runs[index];
        if (run) results.set(index, await run());
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(jobs, runs.length)) }, worker));
  if (failure) throw failure.error;
  return [...results].sort(([a], [b]) => a - b).map(([, result]) => result);
}
