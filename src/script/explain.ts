import type { Command } from './command.ts';
import type { Expectation } from './expectation.ts';
import type { Scenario, Step } from './scenario.ts';
import type { EventPattern, Trigger } from './trigger.ts';

/** A whole scenario in English, several lines, ending with a line break. */
export function explainScenario(scenario: Scenario): string {
  return scenario.title;
}

/** `When the first CDS request arrives, release CDS.` */
export function stepSentence(step: Step): string {
  return step.name;
}

/** `the first CDS request arrives`, to stand after "when". */
export function triggerSentence(trigger: Trigger): string {
  return trigger.kind;
}

/** `release CDS`, in the imperative. */
export function commandSentence(command: Command): string {
  return command.kind;
}

/** `Envoy stays PRE_INITIALIZING until release.` */
export function expectationSentence(expectation: Expectation): string {
  return expectation.subject.kind;
}

/** What a pattern means, e.g. `a CDS request arrives`. */
export function patternSentence(pattern: EventPattern): string {
  return pattern.event;
}
