import type { TimelineEvent } from '../events.ts';
import { matchesEvent, mismatch } from '../script/event-pattern.ts';
import type { NodeOf } from '../script/event-pattern.ts';
import type { Subject } from '../script/expectation.ts';
import { matchesValue, normalisedText } from '../script/matcher.ts';
import type { ValueMatcher } from '../script/matcher.ts';
import { eventText, exitText } from './event-text.ts';
import type { Look } from './look.ts';

/** A subject that is told by what happens, not looked up: an event, Envoy's end, a line of its log. */
export type ToldSubject = Extract<Subject, { kind: 'event' | 'exit' | 'log' }>;

/** What is known of a told subject at an instant. */
export interface Told extends Look {
  /** It cannot hold any more, whatever comes. */
  readonly hopeless: boolean;
}

/** Keeps the count of what a told subject is about. */
export class Teller {
  private readonly subject: ToldSubject;
  private readonly nodeOf: NodeOf | undefined;
  private count = 0;
  private last: string | undefined;
  private nearest: string | undefined;
  private otherExit: string | undefined;

  constructor(subject: ToldSubject, nodeOf?: NodeOf) {
    this.subject = subject;
    this.nodeOf = nodeOf;
  }

  /** What is true now may be false later: a count with an upper bound. */
  get closing(): boolean {
    const wanted = this.subject.kind === 'event' ? this.subject.count : undefined;
    return wanted !== undefined && !(wanted.kind === 'compares' && (wanted.operator === '>' || wanted.operator === '>='));
  }

  /** Begins to count anew: what came before does not matter. */
  reset(): void {
    this.count = 0;
    this.last = this.nearest = this.otherExit = undefined;
  }

  /** Takes an event; true if it says something about the subject, even if only what came near. */
  event(event: TimelineEvent): boolean {
    const { subject } = this;
    if (subject.kind === 'exit') return event.event === 'envoy.exited' && this.exit(subject.code, event);
    if (subject.kind !== 'event' || event.event !== subject.pattern.event) return false;
    if (matchesEvent(subject.pattern, event, this.nodeOf)) {
      this.count += 1;
      this.last = eventText(event).trim();
      return true;
    }
    this.nearest = `${eventText(event).trim()} (other ${mismatch(subject.pattern, event, this.nodeOf)})`;
    return true;
  }

  /** Takes a line of Envoy's log; true if it is one that is meant. */
  line(line: string): boolean {
    if (this.subject.kind !== 'log' || !matchesValue(this.subject.line, normalisedText(line))) return false;
    this.count += 1;
    this.last = normalisedText(line);
    return true;
  }

  /** What is known now. */
  look(): Told {
    const { subject } = this;
    if (subject.kind === 'event')
      return { holds: this.holds(subject.count), hopeless: this.isOver(subject.count), seen: this.eventsSeen(subject.count) };
    if (subject.kind === 'log')
      return { holds: this.count > 0, hopeless: false, seen: this.last ? `Envoy logged: ${this.last}` : 'no such line stood in its log' };
    return {
      holds: this.count > 0,
      hopeless: this.otherExit !== undefined,
      seen: this.last ?? this.otherExit ?? 'Envoy was still running',
    };
  }

  private exit(code: ValueMatcher, event: Extract<TimelineEvent, { event: 'envoy.exited' }>): boolean {
    if (matchesValue(code, event.code)) {
      this.count += 1;
      this.last = `Envoy ${exitText(event)}`;
    } else this.otherExit = `Envoy ${exitText(event)}`;
    return true;
  }

  private holds(wanted: ValueMatcher | undefined): boolean {
    return wanted ? matchesValue(wanted, this.count) : this.count > 0;
  }

  private isOver(wanted: ValueMatcher | undefined): boolean {
    if (!wanted || this.holds(wanted)) return false;
    if (wanted.kind === 'compares') return wanted.operator === '<' || wanted.operator === '<=';
    return wanted.kind === 'equals' && this.count > Number(wanted.value);
  }

  private eventsSeen(wanted: ValueMatcher | undefined): string {
    const times = this.count === 1 ? 'once' : `${this.count} times`;
    if (this.last) return wanted ? `it came ${times}, last: ${this.last}` : `this came: ${this.last}`;
    return this.nearest ? `no such event had come; nearest: ${this.nearest}` : 'no such event had come';
  }
}
