import type { TimelineEvent } from '../events.ts';
import { Whose } from '../runner/whose.ts';
import type { Scenario } from '../script/scenario.ts';

/** Tells for each event what stands in the column of Envoys; undefined where a scenario has one without a name, and so no column. */
export function envoyColumn(scenario: Scenario): (event: TimelineEvent) => string | undefined {
  const { envoys } = scenario;
  if (!envoys) return () => undefined;
  const whose = new Whose(scenario);
  const width = Math.max(...envoys.map(({ name }) => name.length));
  return (event) => (whose.of(event) ?? '').padEnd(width);
}
