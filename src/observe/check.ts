import type { Expectation, Timing } from '../script/expectation.ts';
import { durationText } from '../script/duration.ts';
import { instantText } from './event-text.ts';
import type { Look } from './look.ts';

/** A look at the subject: it was so at some instant between the two (milliseconds of the timeline). */
export interface Evidence extends Look {
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
}

/**
 * How evidence is read. A subject that is told by events is known at every instant (`continuous`), also between them; one that is sampled is
 * known only where it was looked at. `closing` subjects (a count with an upper bound) may be true now and false later: they are decided
 * when their time is over.
 */
export interface EvidenceKind {
  readonly continuous: boolean;
  readonly closing: boolean;
}

export type CheckStatus = 'pending' | 'met' | 'failed';

/**
 * One expectation on its way to being decided. Pure: time comes in with each call, in milliseconds of the timeline. What must be before a
 * moment counts only if the look was over by then; what must be after one, only if the look began then.
 */
export class Check {
  readonly expectation: Expectation;
  status: CheckStatus = 'pending';
  /** Why it failed; what was seen instead. */
  reason: string | undefined;
  private continuous: boolean;
  private readonly closing: boolean;
  private originMs: number | undefined;
  private firstHeldMs: number | undefined;
  private last: Evidence | undefined;

  constructor(expectation: Expectation, kind: EvidenceKind) {
    this.expectation = expectation;
    this.continuous = kind.continuous;
    this.closing = kind.closing;
  }

  /** True once the time from which it counts has come. */
  get active(): boolean {
    return this.originMs !== undefined;
  }

  /** True if nothing need be waited for any more: it is decided, or it holds so far and closes with the run. */
  get settled(): boolean {
    if (this.status !== 'pending') return true;
    if (!this.active || !(this.last || this.continuous)) return false;
    if (this.timing.kind === 'never') return true;
    return this.timing.kind === 'within' && this.closing && this.last?.holds === true;
  }

  /** A moment was marked. */
  moment(name: string, atMs: number): void {
    if (this.status !== 'pending') return;
    const { timing } = this;
    if ('moment' in timing && timing.moment === name) this.closeAt(name);
    else if (name === this.expectation.after && !this.active) this.originMs = atMs;
  }

  /** Something was seen of the subject. `hopeless`: it can never hold again. */
  observe(evidence: Evidence, hopeless = false): void {
    if (this.status !== 'pending' || this.originMs === undefined || evidence.startedAtMs < this.originMs) return;
    const sinceMs = evidence.finishedAtMs - this.originMs;
    const handlers: { readonly [K in Timing['kind']]: (timing: Extract<Timing, { kind: K }>) => void } = {
      within: ({ ms }) => this.observeWithin(evidence, sinceMs <= ms, hopeless),
      'stays-for': ({ withinMs, forMs }) => this.observeStaying(evidence, sinceMs <= withinMs, forMs),
      'stays-until': ({ withinMs }) => this.observeStaying(evidence, sinceMs <= withinMs, Infinity),
      'never-until': () => this.observeNever(evidence, Infinity),
      'never-for': ({ ms }) => this.observeNever(evidence, this.since(ms)),
      never: () => this.observeNever(evidence, Infinity),
    };
    (handlers[this.timing.kind] as (timing: Timing) => void)(this.timing);
    this.last = evidence;
  }

  /** From now on nothing changes any more: what was seen last stays true at every instant to come. */
  freeze(seen: string, nowMs: number): void {
    this.continuous = true;
    this.observe({ holds: false, seen, startedAtMs: nowMs, finishedAtMs: nowMs });
  }

  /** Time went on to `nowMs`. */
  tick(nowMs: number): void {
    if (this.status !== 'pending' || this.originMs === undefined) return;
    const { timing } = this;
    if (this.continuous && this.last) this.observe({ ...this.last, startedAtMs: nowMs, finishedAtMs: nowMs });
    if (this.isDecided()) return;
    if (timing.kind === 'within' && nowMs > this.since(timing.ms)) this.endOfWindow(timing.ms);
    if (
      (timing.kind === 'stays-for' || timing.kind === 'stays-until') &&
      this.firstHeldMs === undefined &&
      nowMs > this.since(timing.withinMs)
    ) {
      this.endOfWindow(timing.withinMs);
    }
    if (timing.kind === 'never-for' && this.continuous && nowMs > this.since(timing.ms)) this.meet();
  }

  /** The run is over; `why` says so for what is still undecided: `the run's 30 s were over`. */
  end(why: string): void {
    if (this.status !== 'pending') return;
    if (this.settled) this.meet();
    else if (!this.active) this.fail(`${why} and the moment ${this.expectation.after} had not come`);
    else if ('moment' in this.timing) this.fail(`${why} and the moment ${this.timing.moment} had not come${this.lastSeen('; ')}`);
    else this.fail(`${why}${this.lastSeen(', and ')}`);
  }

  /** It can no longer come true. */
  fail(reason: string): void {
    if (this.status !== 'pending') return;
    this.status = 'failed';
    this.reason = reason;
  }

  private get timing(): Timing {
    return this.expectation.timing;
  }

  /** Asked again after a call that may have decided it. */
  private isDecided(): boolean {
    return this.status !== 'pending';
  }

  private meet(): void {
    this.status = 'met';
  }

  private since(ms: number): number {
    return (this.originMs ?? 0) + ms;
  }

  private observeWithin(evidence: Evidence, inTime: boolean, hopeless: boolean): void {
    if (hopeless && inTime) this.fail(evidence.seen);
    else if (evidence.holds && inTime && !this.closing) this.meet();
  }

  private observeStaying(evidence: Evidence, inTime: boolean, forMs: number): void {
    if (this.firstHeldMs === undefined) {
      if (evidence.holds && inTime) this.firstHeldMs = evidence.finishedAtMs;
    } else if (!evidence.holds) {
      this.fail(`it held from ${instantText(this.firstHeldMs)} s on, but at ${instantText(evidence.finishedAtMs)} s ${evidence.seen}`);
      return;
    }
    if (this.firstHeldMs !== undefined && evidence.finishedAtMs - this.firstHeldMs >= forMs) this.meet();
  }

  private observeNever(evidence: Evidence, untilMs: number): void {
    if (evidence.holds && evidence.finishedAtMs <= untilMs) this.fail(`at ${instantText(evidence.finishedAtMs)} s ${evidence.seen}`);
    else if (!evidence.holds && evidence.startedAtMs >= untilMs) this.meet();
    else if (evidence.startedAtMs > untilMs && this.last) this.meet();
  }

  /** The moment that ends the demand has come. */
  private closeAt(moment: string): void {
    if (!this.active) return this.fail(`${moment} came before ${this.expectation.after}`);
    if (this.timing.kind === 'never-until') {
      return this.last || this.continuous ? this.meet() : this.fail(`${moment} came before Envoy could be looked at once`);
    }
    if (this.firstHeldMs !== undefined) return this.meet();
    this.fail(`${moment} came${this.lastSeen(' while ') || ' before Envoy could be looked at once'}`);
  }

  private endOfWindow(ms: number): void {
    if (this.closing && this.last?.holds) return this.meet();
    const since = this.expectation.after === 'start' ? 'after the start' : `after ${this.expectation.after}`;
    this.fail(`${durationText(ms)} ${since}${this.lastSeen(' ') || ' nothing was known of it'}`);
  }

  private lastSeen(before: string): string {
    return this.last ? `${before}${this.last.seen}` : '';
  }
}
