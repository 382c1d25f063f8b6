import type { Clock } from '../clock.ts';
import type { Command } from '../script/command.ts';
import { advance, neverFired, newCursor, stepWaitsFor, type Cursor, type CursorInput, type UnfiredStep } from '../script/cursor.ts';
import type { NodeOf, ScriptInput } from '../script/event-pattern.ts';
import { stepSentence } from '../script/explain.ts';
import type { Step } from '../script/scenario.ts';
import type { ScriptEvent } from '../script/script-event.ts';
import type { StepState } from './step-state.ts';

export interface DirectorOptions {
  readonly steps: readonly Step[];
  readonly clock: Clock;
  emit(event: ScriptEvent): void;
  /** Milliseconds since the timeline began. */
  nowMs(): number;
  perform(command: Command): void;
  readonly nodeOf: NodeOf;
}

/**
 * Closes the one loop of the design: events go to the script's cursor, and the commands it lets loose go back to the server. An event is
 * seen only after everything that its cause brought about is done.
 */
export class Director {
  private cursor: Cursor;
  private readonly seen: ScriptInput[] = [];
  private started = false;
  private scheduled = false;
  private stopped = false;
  private readonly firedAtMs = new Map<Step, number>();
  private callOff: () => void = () => undefined;
  private readonly options: DirectorOptions;

  constructor(options: DirectorOptions) {
    this.options = options;
    this.cursor = newCursor(options.steps, options.clock.now());
  }

  /** False if no event changes anything. */
  get isScripted(): boolean {
    return !this.stopped && this.options.steps.length > 0;
  }

  /** Takes note of an event; steps that it lets loose are carried out in a microtask. */
  see(event: ScriptInput): void {
    if (!this.isScripted) return;
    this.seen.push(event);
    this.schedule();
  }

  /** Names of the steps still waiting, optional ones included. */
  get waiting(): readonly string[] {
    return this.cursor.steps.filter((_, i) => this.cursor.progress[i]).map(({ name }) => name);
  }

  /** What each step that should have fired waits for, in English. */
  get neverFired(): readonly UnfiredStep[] {
    return neverFired(this.cursor);
  }

  /** Every step and how far it is, in the order of the file. */
  get steps(): readonly StepState[] {
    return this.cursor.steps.map((step, i) => {
      const { name, optional } = step;
      const firedAtMs = this.firedAtMs.get(step);
      const waitsFor = stepWaitsFor(this.cursor, i);
      const state = waitsFor === undefined ? 'fired' : this.stopped ? 'never fired' : 'waiting';
      return Object.freeze({
        name,
        sentence: stepSentence(step),
        optional,
        state,
        ...(firedAtMs === undefined ? {} : { firedAtMs }),
        ...(waitsFor === undefined ? {} : { waitsFor }),
      });
    });
  }

  /** Begins: time counts from now for steps that wait for some time after `start`. What was seen before is worked off now. */
  start(): void {
    const start: ScriptInput & { readonly moment: string } = { event: 'moment.marked', moment: 'start' };
    this.started = true;
    this.advance(start);
    this.schedule();
  }

  stop(): void {
    this.stopped = true;
    this.callOff();
  }

  private schedule(): void {
    if (!this.started || this.scheduled) return;
    this.scheduled = true;
    queueMicrotask(() => this.workOff());
  }

  private workOff(): void {
    this.scheduled = false;
    for (let event = this.seen.shift(); event && !this.stopped; event = this.seen.shift()) this.advance(event);
  }

  private advance(input: CursorInput): void {
    const { clock, emit, perform, nodeOf } = this.options;
    const { cursor, fired, wakeAtMs } = advance(this.cursor, input, clock.now(), nodeOf);
    this.cursor = cursor;
    for (const step of fired) {
      this.firedAtMs.set(step, this.options.nowMs());
      emit({ event: 'step.fired', step: step.name, sentence: stepSentence(step) });
      emit({ event: 'moment.marked', moment: step.name });
      for (const command of step.commands) perform(command);
    }
    this.callOff();
    if (wakeAtMs !== undefined && !this.stopped)
      this.callOff = clock.after(Math.max(0, wakeAtMs - clock.now()), () => this.advance({ kind: 'tick' }));
  }
}
