import type { TimelineEvent } from '../events.ts';
import type { NodeOf } from '../script/event-pattern.ts';
import type { Expectation, Subject } from '../script/expectation.ts';
import { agentReadiness, newAgentMemory } from '../sidecar/agent-readiness.ts';
import type { AgentMemory } from '../sidecar/agent-readiness.ts';
import { Check } from './check.ts';
import type { CheckStatus } from './check.ts';
import { eventText } from './event-text.ts';
import { lookAt } from './look.ts';
import { isSampled, needsOf } from './sample.ts';
import type { Needs, Sample } from './sample.ts';
import { Teller } from './told-subject.ts';
import { inVersionRange } from './version-range.ts';

export interface ChecksOptions {
  readonly variant: 'sotw' | 'delta';
  /** E.g. `1.40.0`; expectations for other Envoys are left out. */
  readonly envoyVersion: string;
  /** An expectation in English. */
  readonly sentence: (expectation: Expectation) => string;
  /** The node behind an event, for patterns that ask for more than its id. */
  readonly nodeOf?: NodeOf;
}

/** Where an expectation stands. */
export interface CheckReport {
  readonly index: number;
  readonly sentence: string;
  readonly status: CheckStatus;
  /** What was seen instead; only where it failed. */
  readonly reason?: string;
  /** When it was decided, in milliseconds of the timeline. */
  readonly atMs?: number;
}

interface Entry {
  readonly check: Check;
  readonly subject: Subject;
  readonly sentence: string;
  readonly teller: Teller | undefined;
  decidedAtMs?: number;
}

/**
 * All expectations of a run. It is fed with events, lines of Envoy's log, samples and the time, and says which are met, which failed and
 * why. Pure: it asks no clock and waits for nothing.
 */
export class Checks {
  private readonly entries: readonly Entry[];
  private memory: AgentMemory = newAgentMemory;
  private agentVerdict: string | undefined;
  private lastEvent: TimelineEvent | undefined;
  /** Why Envoy cannot be looked at any more. */
  private gone: string | undefined;

  constructor(expectations: readonly Expectation[], options: ChecksOptions) {
    this.entries = expectations.filter((one) => applies(one, options)).map((expectation) => newEntry(expectation, options));
  }

  /** Feeds an event. Returns the expectations that it decided. */
  event(event: TimelineEvent): readonly CheckReport[] {
    // Events of expectations are made from what this returns; they decide nothing.
    if (event.event === 'expectation.met' || event.event === 'expectation.failed') return [];
    if (event.event === 'moment.marked') this.moment(event.moment, event.atMs);
    for (const { teller, check } of this.entries) if (teller?.event(event)) tell(teller, check, event.atMs);
    this.lastEvent = event;
    return this.decided(event.atMs);
  }

  /** Feeds a line of Envoy's log. */
  line(line: string, atMs: number): readonly CheckReport[] {
    for (const { teller, check } of this.entries) if (teller?.line(line)) tell(teller, check, atMs);
    return this.decided(atMs);
  }

  /** Feeds what was looked up about Envoy. */
  sample(sample: Sample): readonly CheckReport[] {
    if (sample.agentStats) {
      const { memory, verdict } = agentReadiness(this.memory, sample.agentStats);
      this.memory = memory;
      this.agentVerdict = verdict;
    }
    for (const { subject, check } of this.entries) {
      // The verdict is of this sample only if the sample asked for it.
      const look = isSampled(subject) ? lookAt(subject, sample, sample.agentStats ? this.agentVerdict : undefined) : undefined;
      if (look) check.observe({ ...look, startedAtMs: sample.startedAtMs, finishedAtMs: sample.finishedAtMs });
    }
    return this.decided(sample.finishedAtMs);
  }

  /** Time went on. */
  tick(nowMs: number): readonly CheckReport[] {
    for (const { check } of this.entries) check.tick(nowMs);
    return this.decided(nowMs);
  }

  /**
   * Envoy cannot be looked at any more; `reason` says why: `Envoy exited with code 1: …`. What is still to be seen of it fails at once.
   * What must never be seen of it fails too, unless its end is what the scenario expects: then nothing more can be seen of it.
   */
  envoyGone(reason: string, nowMs: number): readonly CheckReport[] {
    this.gone = reason;
    for (const { subject, check } of this.entries) {
      if (!isSampled(subject)) continue;
      if (this.expectsExit && isNegative(check.expectation) && check.active) check.freeze(reason, nowMs);
      else check.fail(reason);
    }
    return this.decided(nowMs);
  }

  /** Envoy's log cannot be read, `reason` says why; what should stand in it fails at once. */
  logUnreadable(reason: string, nowMs: number): readonly CheckReport[] {
    for (const { subject, check } of this.entries) if (subject.kind === 'log') check.fail(reason);
    return this.decided(nowMs);
  }

  /** Everything undecided is decided now. `why` says what ended the run: `the 30 s of the run were over`. */
  end(why: string, nowMs: number): readonly CheckReport[] {
    for (const { check } of this.entries) check.end(why);
    return this.decided(nowMs);
  }

  /** True if nothing need be waited for: each is decided, or holds so far and closes with the run. */
  get settled(): boolean {
    return this.entries.every(({ check }) => check.settled);
  }

  /** True if the scenario wants Envoy to end in this run. */
  get expectsExit(): boolean {
    return this.entries.some(
      ({ subject, check }) =>
        !isNegative(check.expectation) &&
        (subject.kind === 'exit' || (subject.kind === 'event' && subject.pattern.event === 'envoy.exited')),
    );
  }

  /** What the next sample should hold. */
  get needs(): Needs {
    if (this.gone !== undefined) return needsOf([]);
    // pilot-agent remembers: it probes from the start, not only from the moment that the expectation counts from.
    return needsOf(
      this.entries
        .filter(({ check, subject }) => check.status === 'pending' && (check.active || subject.kind === 'agent'))
        .map(({ subject }) => subject),
    );
  }

  /** Where all stand, in the scenario's order. */
  get reports(): readonly CheckReport[] {
    return this.entries.map(report);
  }

  private moment(name: string, atMs: number): void {
    for (const { check, teller, subject } of this.entries) {
      const wasActive = check.active;
      check.moment(name, atMs);
      if (wasActive || !check.active) continue;
      // What came before a moment does not count after it; the start counts all, istiod having started before Envoy.
      if (name !== 'start') teller?.reset();
      if (teller) tell(teller, check, atMs);
      else if (this.gone !== undefined && isSampled(subject)) check.fail(this.gone);
    }
  }

  private decided(atMs: number): readonly CheckReport[] {
    const fresh = this.entries.filter((entry) => entry.check.status !== 'pending' && entry.decidedAtMs === undefined);
    for (const entry of fresh) {
      entry.decidedAtMs = atMs;
      if (entry.check.status === 'failed') entry.check.reason = this.fullReason(entry.check);
    }
    return fresh.map(report);
  }

  private fullReason({ reason }: Check): string {
    const text = this.lastEvent && eventText(this.lastEvent).trim();
    const last = text === undefined || reason?.includes(text) ? '' : `; last event: ${text}`;
    return `${reason}${last}`;
  }
}

/** Whether an expectation is about this variant and this Envoy. */
export function applies({ variant, envoy }: Expectation, options: Pick<ChecksOptions, 'variant' | 'envoyVersion'>): boolean {
  return (variant === undefined || variant === options.variant) && (envoy === undefined || inVersionRange(envoy, options.envoyVersion));
}

function newEntry(expectation: Expectation, { sentence, nodeOf }: ChecksOptions): Entry {
  const { subject } = expectation;
  const teller = isSampled(subject) ? undefined : new Teller(subject, nodeOf);
  const check = new Check(expectation, { continuous: teller !== undefined, closing: teller?.closing ?? false });
  return { check, subject, teller, sentence: sentence(expectation) };
}

function tell(teller: Teller, check: Check, atMs: number): void {
  const { hopeless, ...look } = teller.look();
  check.observe({ ...look, startedAtMs: atMs, finishedAtMs: atMs }, hopeless);
}

function isNegative({ timing }: Expectation): boolean {
  return timing.kind === 'never' || timing.kind === 'never-for' || timing.kind === 'never-until';
}

function report({ check, sentence, decidedAtMs }: Entry): CheckReport {
  const { expectation, status, reason } = check;
  return {
    index: expectation.index,
    sentence,
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(decidedAtMs === undefined ? {} : { atMs: decidedAtMs }),
  };
}
