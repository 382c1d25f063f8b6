import { fieldOf, mismatch, type NodeOf, type ScriptInput } from './event-pattern.ts';
import type { Step } from './scenario.ts';
import type { Trigger } from './trigger.ts';

export { neverFired, stepWaitsFor, type UnfiredStep } from './never-fired.ts';

/** How far a trigger has come. The tree has the trigger's own shape. */
export interface Progress {
  readonly met: boolean;
  /** Event triggers: how many came that match. */
  readonly seen: number;
  /** Event triggers: the last event of that name that did not match. */
  readonly nearest?: ScriptInput;
  readonly parts: readonly Progress[];
}

/** Where a script is: which steps fired, which moments were marked, what each waiting step has seen. A value; `advance` makes the next. */
export interface Cursor {
  readonly steps: readonly Step[];
  /** One per step; undefined once the step fired. */
  readonly progress: readonly (Progress | undefined)[];
  /** When each moment was marked, in milliseconds of the caller's clock. */
  readonly moments: ReadonlyMap<string, number>;
}

/** What `advance` gives. */
export interface Advance {
  readonly cursor: Cursor;
  /** Steps whose triggers came true, in the order of firing. Mark the moment of a step's name before its commands are performed. */
  readonly fired: readonly Step[];
  /** When the next `tick` is due, by the clock `nowMs` is of; absent if only events can let a step fire. */
  readonly wakeAtMs?: number;
}

/** An event of the timeline, or the passing of time alone. */
export type CursorInput = ScriptInput | { readonly kind: 'tick' };

const nothingSeen: Progress = { met: false, seen: 0, parts: [] };

/** A cursor before its first event, the moment `start` being now. A later `moment.marked` of `start` moves that moment. */
export function newCursor(steps: readonly Step[], nowMs: number): Cursor {
  return { steps, progress: steps.map(({ when }) => unseen(when)), moments: new Map([['start', nowMs]]) };
}

/**
 * The one loop of a script. Pure: no clock, no await. Call it with every event of the timeline and, at `wakeAtMs`, with a tick.
 *
 * Moments that a firing step marks count at once, so further steps may fire in the same call; the cursor's own `step.fired` and
 * `moment.marked` may be handed back as events: what it knows already changes nothing.
 */
export function advance(cursor: Cursor, input: CursorInput, nowMs: number, nodeOf?: NodeOf): Advance {
  let next = cursor;
  const fired: Step[] = [];
  const queue: CursorInput[] = isNews(cursor, input) ? [input] : [];
  for (let current = queue.shift(); current; current = queue.shift()) {
    next = observed(next, current, nowMs, nodeOf);
    for (const [i, progress] of next.progress.entries()) {
      const step = next.steps[i];
      if (!step || !progress?.met) continue;
      const moments = [step.name, ...step.commands.flatMap((command) => (command.kind === 'mark' ? [command.moment] : []))];
      fired.push(step);
      queue.push(made('step.fired', { step: step.name }), ...moments.map((moment) => made('moment.marked', { moment })));
      next = { ...next, progress: next.progress.with(i, undefined) };
    }
  }
  const wakeAtMs = wakeTime(next);
  return { cursor: next, fired, ...(wakeAtMs === undefined ? {} : { wakeAtMs }) };
}

/** False for what the cursor itself brought about, told a second time. */
function isNews(cursor: Cursor, input: CursorInput): boolean {
  if (!isEvent(input)) return true;
  if (input.event === 'step.fired')
    return !cursor.steps.some((step, i) => step.name === fieldOf(input, 'step') && cursor.progress[i] === undefined);
  return input.event !== 'moment.marked' || fieldOf(input, 'moment') === 'start' || !cursor.moments.has(String(fieldOf(input, 'moment')));
}

function made(event: string, fields: Readonly<Record<string, unknown>>): ScriptInput {
  return { event, ...fields };
}

function isEvent(input: CursorInput): input is ScriptInput {
  return 'event' in input;
}

/** The cursor having seen `input`: the same value if that changed nothing. */
function observed(cursor: Cursor, input: CursorInput, nowMs: number, nodeOf: NodeOf | undefined): Cursor {
  const marked = isEvent(input) && input.event === 'moment.marked' ? String(fieldOf(input, 'moment')) : undefined;
  const known = marked === undefined || (marked !== 'start' && cursor.moments.has(marked));
  const moments = known ? cursor.moments : new Map(cursor.moments).set(marked, nowMs);
  const look = { input, nowMs, moments, nodeOf };
  let changed = moments !== cursor.moments;
  const progress = cursor.progress.map((before, i) => {
    const step = cursor.steps[i];
    const begun = before && step && marked === 'start' ? restarted(step.when, before) : before;
    const after = begun && step ? progressed(step.when, begun, look) : begun;
    changed ||= after !== before;
    return after;
  });
  return changed ? { ...cursor, moments, progress } : cursor;
}

interface Look {
  readonly input: CursorInput;
  readonly nowMs: number;
  readonly moments: ReadonlyMap<string, number>;
  readonly nodeOf: NodeOf | undefined;
}

function unseen(trigger: Trigger): Progress {
  return 'of' in trigger ? { met: false, seen: 0, parts: trigger.of.map(unseen) } : nothingSeen;
}

function isMet(kind: 'all' | 'any', parts: readonly Progress[]): boolean {
  return kind === 'all' ? parts.every(({ met }) => met) : parts.some(({ met }) => met);
}

/** The run begins anew: time that had passed since an earlier start does not count. What happened meanwhile does. */
function restarted(trigger: Trigger, before: Progress): Progress {
  if (trigger.kind === 'event') return before;
  if (trigger.kind === 'elapsed') return trigger.since === 'start' ? nothingSeen : before;
  const parts = trigger.of.map((part, i) => restarted(part, before.parts[i] ?? unseen(part)));
  return { ...before, parts, met: isMet(trigger.kind, parts) };
}

function progressed(trigger: Trigger, before: Progress, look: Look): Progress {
  if (before.met) return before;
  switch (trigger.kind) {
    case 'event':
      return counted(trigger, before, look);
    case 'elapsed': {
      const since = look.moments.get(trigger.since);
      return since !== undefined && look.nowMs >= since + trigger.afterMs ? { ...before, met: true } : before;
    }
    case 'all':
    case 'any': {
      const parts = trigger.of.map((part, i) => progressed(part, before.parts[i] ?? unseen(part), look));
      if (parts.every((part, i) => part === before.parts[i])) return before;
      return { ...before, parts, met: isMet(trigger.kind, parts) };
    }
  }
}

function counted({ pattern, nth }: Extract<Trigger, { kind: 'event' }>, before: Progress, { input, nodeOf }: Look): Progress {
  if (!isEvent(input) || input.event !== pattern.event) return before;
  if (mismatch(pattern, input, nodeOf) !== undefined) return { ...before, nearest: input };
  return { ...before, seen: before.seen + 1, met: before.seen + 1 >= nth };
}

/** The earliest instant at which time alone brings a waiting trigger further. */
function wakeTime({ steps, progress, moments }: Cursor): number | undefined {
  const times = steps.flatMap(({ when }, i) => {
    const own = progress[i];
    return own ? dueTimes(when, own, moments) : [];
  });
  return times.length > 0 ? Math.min(...times) : undefined;
}

function dueTimes(trigger: Trigger, progress: Progress, moments: ReadonlyMap<string, number>): number[] {
  if (progress.met) return [];
  if ('of' in trigger) return trigger.of.flatMap((part, i) => dueTimes(part, progress.parts[i] ?? nothingSeen, moments));
  if (trigger.kind === 'event') return [];
  const since = moments.get(trigger.since);
  return since === undefined ? [] : [since + trigger.afterMs];
}
