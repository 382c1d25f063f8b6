import type { DocumentPath } from '../protobuf/document.ts';
import { durationMs } from './duration.ts';
import type { Findings } from './findings.ts';
import { wordRemedy } from './nearest.ts';
import { readPattern } from './read-pattern.ts';
import type { EventForm, TriggerForm, TriggerMap } from './schema-trigger.ts';
import { scriptableEvents, type ScriptableEvent, type Trigger } from './trigger.ts';

/** True for the name of an event that scenarios can wait for. */
export function isScriptable(word: string): word is ScriptableEvent {
  return (scriptableEvents as readonly string[]).includes(word);
}

/** A trigger as written; several keys of a map become `all`. */
export function readTrigger(written: TriggerForm, path: DocumentPath, findings: Findings): Trigger {
  if (typeof written === 'string') return namedTrigger(written, path, findings);
  const parts = partsOf(written, path, findings);
  if (written.since !== undefined && written.after === undefined) {
    findings.report([...path, 'since'], 'since stands without after', 'Write after as well, e.g. after: 2s', 'key');
  }
  if (parts.length === 0 && written.since === undefined)
    findings.report(path, 'an empty trigger never comes true', 'Write an event, after, all or any');
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind: 'all', of: parts };
}

function namedTrigger(word: string, path: DocumentPath, findings: Findings): Trigger {
  if (!isScriptable(word)) findings.report(path, `unknown trigger ${JSON.stringify(word)}`, wordRemedy(word, scriptableEvents));
  return { kind: 'event', pattern: { event: isScriptable(word) ? word : 'moment.marked', fields: {} }, nth: 1 };
}

function partsOf(written: TriggerMap, path: DocumentPath, findings: Findings): Trigger[] {
  return Object.entries(written).flatMap(([key, value]): Trigger[] => {
    const place = [...path, key];
    if (isScriptable(key)) return [eventTrigger(key, value as EventForm, place, findings)];
    if (key === 'after') return [elapsed(written, path, findings)];
    return key === 'all' || key === 'any' ? [combined(key, value as readonly TriggerForm[], place, findings)] : [];
  });
}

function eventTrigger(event: ScriptableEvent, written: EventForm, path: DocumentPath, findings: Findings): Trigger {
  const { pattern, number } = readPattern(event, written, 'nth', path, findings);
  const nth = number === undefined ? 1 : Number(number);
  if (!Number.isInteger(nth) || nth < 1) findings.report(path, `found ${String(number)}, expected a whole number from 1`, '1 is the first');
  return { kind: 'event', pattern, nth };
}

function elapsed({ after, since }: TriggerMap, path: DocumentPath, findings: Findings): Trigger {
  if (since !== undefined) findings.refer([...path, 'since'], since);
  return { kind: 'elapsed', afterMs: durationMs(after ?? '') ?? 0, since: since ?? 'start' };
}

function combined(kind: 'all' | 'any', written: readonly TriggerForm[], path: DocumentPath, findings: Findings): Trigger {
  if (written.length === 0) findings.report(path, 'an empty list of triggers never comes true', 'Write at least one trigger');
  return { kind, of: written.map((part, i) => readTrigger(part, [...path, i], findings)) };
}
