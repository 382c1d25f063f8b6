import type { Expectation } from '../script/expectation.ts';
import type { Scenario } from '../script/scenario.ts';

/** An expectation that nobody can look at from outside, and why. */
export interface Unseen {
  /** Position in the scenario's list, from 0. */
  readonly index: number;
  readonly expectation: Expectation;
  /** As the end of a sentence: `Envoy's log is not to be had here`. */
  readonly reason: string;
}

/** What of a scenario can be looked at by who did not start Envoy, and what cannot. `hasLog`: its log can be read. */
export function seenFromOutside(
  expectations: Scenario['expectations'],
  hasLog: boolean,
): { readonly seen: readonly Expectation[]; readonly unseen: readonly Unseen[] } {
  const unseen = expectations.flatMap((expectation) => {
    const reason = whyUnseen(expectation, hasLog);
    return reason === undefined ? [] : [{ index: expectation.index, expectation, reason }];
  });
  const lost = new Set(unseen.map(({ expectation }) => expectation));
  return { seen: expectations.filter((expectation) => !lost.has(expectation)), unseen };
}

function whyUnseen({ subject }: Expectation, hasLog: boolean): string | undefined {
  const event = subject.kind === 'event' ? subject.pattern.event : undefined;
  if (subject.kind === 'exit' || event === 'envoy.exited') return "how Envoy's process ends is seen only by who started it";
  if ((subject.kind === 'log' || event === 'envoy.logged') && !hasLog) return "Envoy's log is not to be had here";
  return undefined;
}
