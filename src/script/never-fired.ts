import type { Cursor, Progress } from './cursor.ts';
import { fieldOf, mismatch, type ScriptInput } from './event-pattern.ts';
import { listed, nthPattern } from './explain-pattern.ts';
import { durationText } from './duration.ts';
import { triggerSentence } from './explain.ts';
import type { EventPattern, Trigger } from './trigger.ts';

/** A step that is still waiting, and for what. */
export interface UnfiredStep {
  readonly step: string;
  /** `step release never fired: it waits until the 2nd CDS request arrives; 1 came`. */
  readonly sentence: string;
}

/** Every step that did not fire and is not optional: what it waits for and the nearest thing that happened. */
export function neverFired(cursor: Cursor): readonly UnfiredStep[] {
  return cursor.steps.flatMap((step, i) => {
    const progress = cursor.progress[i];
    if (!progress || step.optional) return [];
    return [{ step: step.name, sentence: `step ${step.name} never fired: ${waiting(step.when, progress, cursor)}` }];
  });
}

/** What the step at this place waits for, in English: `it waits until …; 1 came`. Undefined if it fired. */
export function stepWaitsFor(cursor: Cursor, place: number): string | undefined {
  const [step, progress] = [cursor.steps[place], cursor.progress[place]];
  return step && progress ? waiting(step.when, progress, cursor) : undefined;
}

function waiting(trigger: Trigger, progress: Progress, cursor: Cursor): string {
  switch (trigger.kind) {
    case 'event':
      return `it waits until ${nthPattern(trigger.pattern, trigger.nth)}; ${whatCame(trigger.pattern, progress)}`;
    case 'elapsed':
      return cursor.moments.has(trigger.since)
        ? `it waits for ${durationText(trigger.afterMs)} after ${trigger.since}, and the run ended before`
        : `it waits for ${durationText(trigger.afterMs)} after ${trigger.since}, and ${trigger.since} was never marked`;
    case 'all':
    case 'any': {
      const open = trigger.of.flatMap((part, i) => (progress.parts[i]?.met === false ? [waiting(part, progress.parts[i], cursor)] : []));
      const done = trigger.of.filter((_, i) => progress.parts[i]?.met);
      const came = done.length > 0 ? ` (came true: ${listed(done.map(triggerSentence))})` : '';
      return `${open.join(trigger.kind === 'all' ? ', and ' : ', or ')}${came}`;
    }
  }
}

function whatCame(pattern: EventPattern, { seen, nearest }: Progress): string {
  if (seen > 0) return `${seen} came`;
  return nearest ? `the nearest was ${nearestText(pattern, nearest)}` : 'nothing like it came';
}

/** The event that nearly matched, and what it said instead. */
function nearestText(pattern: EventPattern, event: ScriptInput): string {
  const field = mismatch(pattern, event) ?? 'node';
  const value = fieldOf(event, field);
  const type = field === 'type' ? undefined : fieldOf(event, 'type');
  const said = value === undefined ? `no ${field}` : `${field} ${Array.isArray(value) ? value.join(', ') || '(none)' : String(value)}`;
  return `${event.event}${typeof type === 'string' ? ` of ${type}` : ''} with ${said}`;
}
