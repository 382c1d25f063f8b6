import type { RunResult } from './run-result.ts';

/** A table of all runs, one a line, and under it each failure with its reason; no trailing line end. */
export function summaryTable(results: readonly RunResult[], { colour = false }: { readonly colour?: boolean } = {}): string {
  void colour;
  return results.map((result) => result.scenario.name).join('\n');
}
