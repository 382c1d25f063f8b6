import type { Event } from '../../src/events.ts';
import { Checks } from '../../src/observe/expectations.ts';
import type { Sample } from '../../src/observe/sample.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import type { Expectation, Subject, Timing } from '../../src/script/expectation.ts';
import type { EventPattern } from '../../src/script/trigger.ts';
import { at, made } from './events.ts';

/** Subjects that most tests are about. */
export const live: Subject = { kind: 'state', states: ['LIVE'] };
export const preInitializing: Subject = { kind: 'state', states: ['PRE_INITIALIZING'] };
export const ldsRequest: Extract<Subject, { kind: 'event' }> = { kind: 'event', pattern: pattern('request.received', TypeUrl.listener) };

/** Which events are meant. */
export function pattern(event: EventPattern['event'], typeUrl?: string, fields: EventPattern['fields'] = {}): EventPattern {
  return { event, ...(typeUrl === undefined ? {} : { typeUrl }), fields };
}

/** An expectation that counts from the start, unless said otherwise. */
export function expectation(subject: Subject, timing: Timing, more: Partial<Expectation> = {}): Expectation {
  return { index: 0, subject, timing, after: 'start', ...more };
}

/** Expectations being fed. Each line of a test is one thing that happens; times are those of the timeline. */
export function run(...expectations: readonly Expectation[]) {
  const numbered = expectations.map((one, index) => ({ ...one, index }));
  const checks = new Checks(numbered, { variant: 'sotw', envoyVersion: '1.40.0', sentence: ({ subject }) => subject.kind });
  let seq = 0;
  const world = {
    checks,
    event: (atMs: number, event: Event) => checks.event(at(atMs, event, ++seq)),
    start: (atMs = 0) => world.event(atMs, made.moment('start')),
    moment: (atMs: number, name: string) => world.event(atMs, made.moment(name)),
    sample: (startedAtMs: number, facts: Partial<Sample>, finishedAtMs = startedAtMs + 2) =>
      checks.sample({ startedAtMs, finishedAtMs, ...facts }),
    get status() {
      return checks.reports.map(({ status }) => status);
    },
    get reason() {
      return checks.reports[0]?.reason;
    },
  };
  return world;
}
