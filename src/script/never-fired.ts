import type { Cursor } from './cursor.ts';

/** A step that is still waiting, and for what. */
export interface UnfiredStep {
  readonly step: string;
  /** `step release never fired: it waits for the 2nd CDS request; 1 came`. */
  readonly sentence: string;
}

/** Every step that did not fire and is not optional, in English. */
export function neverFired(cursor: Cursor): readonly UnfiredStep[] {
  return cursor.steps.filter((step, i) => cursor.progress[i] && !step.optional).map((step) => ({ step: step.name, sentence: `step ${step.name} never fired` }));
}
