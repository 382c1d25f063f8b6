import type { RunResult } from '../runner/run-result.ts';

/** The results of all runs as one document for a program. Times are in milliseconds. */
export function runJson(results: readonly RunResult[]): object {
  return { ok: results.every(({ ok }) => ok), runs: results.map(resultJson) };
}

function resultJson({ scenario, ...result }: RunResult): object {
  const { name, title, file, mutation } = scenario;
  return {
    scenario: { name, title, ...(file === undefined ? {} : { file }), ...(mutation ? { mutation: mutation.what } : {}) },
    ...result,
  };
}
