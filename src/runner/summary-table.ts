import type { RunResult } from './run-result.ts';
import { palette } from './colour.ts';
import type { Palette } from './colour.ts';

/** A table of all runs, one a line, and under it each failure with its reason; no trailing line end. */
export function summaryTable(results: readonly RunResult[], { colour = false }: { readonly colour?: boolean } = {}): string {
  const paint = palette(colour);
  const rows = results.map(rowOf);
  const header: Row = ['', 'scenario', 'variant', 'Envoy', 'expectations', 'time'];
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: Row): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const painted = rows.map((row, i) => (results[i]?.ok ? paint.good : results[i]?.interrupted ? paint.quiet : paint.bad)(line(row)));
  const failures = results.filter(({ ok }) => !ok).map((result) => failureText(result, paint));
  return [paint.quiet(line(header)), ...painted, ...failures.flatMap((text) => ['', text]), '', countText(results, paint)].join('\n');
}

type Row = readonly string[];

function rowOf(result: RunResult): Row {
  const { scenario, variant, envoyVersion, expectations, ok, interrupted, durationMs } = result;
  const met = expectations.filter(({ status }) => status === 'met').length;
  return [
    ok ? '✓' : interrupted ? '–' : '✗',
    scenario.name,
    variant,
    envoyVersion,
    `${met} of ${expectations.length}`,
    `${(durationMs / 1_000).toFixed(1)} s`,
  ];
}

function countText(results: readonly RunResult[], paint: Palette): string {
  const good = results.filter(({ ok }) => ok).length;
  const calledOff = results.filter(({ interrupted }) => interrupted).length;
  const bad = results.length - good - calledOff;
  const parts = [`${good} as expected`, bad > 0 ? `${bad} not` : '', calledOff > 0 ? `${calledOff} called off` : ''].filter(Boolean);
  return (bad > 0 ? paint.bad : paint.strong)(parts.join(', '));
}

function failureText(result: RunResult, paint: Palette): string {
  return [paint.strong(`${result.scenario.name} (${result.variant})`), ...troubles(result).map((line) => `  ${line}`)].join('\n');
}

/** What went wrong, a line for what was demanded and one for what was seen. */
function troubles({ expectations, neverFired, problems, interrupted }: RunResult): readonly string[] {
  return [
    ...problems.map((problem) => `✗ ${problem}`),
    ...expectations.filter(({ status }) => status === 'failed').flatMap(({ sentence, reason }) => [`✗ ${sentence}`, `  ${reason ?? ''}`]),
    ...neverFired.map(({ sentence }) => `✗ ${sentence}`),
    ...(interrupted ? ['called off before all was decided'] : []),
  ];
}

/** One run's result in words: every expectation, and what else went wrong; no trailing line end. */
export function resultText(result: RunResult): string {
  const marks = { met: '✓', failed: '✗', undecided: '–' } as const;
  const lines = result.expectations.flatMap(({ status, sentence, reason }) => [
    `${marks[status]} ${sentence}`,
    ...(reason === undefined ? [] : [`  ${reason}`]),
  ]);
  const others = troubles({ ...result, expectations: [] });
  return [...lines, ...others, result.ok ? 'as expected' : result.interrupted ? 'called off' : 'not as expected'].join('\n');
}
