import { join } from 'node:path';
import type { TimelineEvent } from '../events.ts';
import { makeReportDir, writeReport, writeSharedReport, type ReportParts } from './report.ts';
import type { RunResult } from './run-result.ts';
import { Whose } from './whose.ts';

/** What a report has of one Envoy. */
export interface EnvoyReport extends Omit<ReportParts, 'result'> {
  /** Of several Envoys; its part of the report is a folder of that name. */
  readonly name?: string;
}

/**
 * Writes the report of a run into a folder that exists. Of several Envoys each has a folder of its own, with the files that the report of a
 * run with one Envoy has, so that `fake-istiod diagnose` reads it as one. Error `output.unwritable`.
 */
export async function writeRunReport(dir: string, result: RunResult, envoys: readonly EnvoyReport[]): Promise<void> {
  const named = envoys.filter(({ name }) => name !== undefined);
  const [only] = envoys;
  if (named.length === 0) return only ? writeReport(dir, { ...only, result }) : undefined;
  await writeSharedReport(
    dir,
    result,
    named.map(({ name }) => name ?? ''),
  );
  for (const { name = '', ...parts } of named) {
    await makeReportDir(join(dir, name));
    await writeReport(join(dir, name), { ...parts, result: { ...result, timeline: timelineOf(result, name) } });
  }
}

/** What happened to one Envoy, and what happened to all. */
function timelineOf({ timeline, scenario }: RunResult, name: string): readonly TimelineEvent[] {
  const whose = new Whose(scenario);
  // Streams say who they are only with their first request.
  for (const event of timeline) whose.of(event);
  return timeline.filter((event) => (whose.of(event) ?? name).split('|').includes(name));
}
