import type { DocumentPath } from '../protobuf/document.ts';
import { resourceTypeNamed, resourceTypes } from '../protocol/resource-type.ts';
import { eventWords } from './event-fields.ts';
import type { Findings } from './findings.ts';
import { valueMatcher, type ValueMatcher } from './matcher.ts';
import { wordRemedy } from './nearest.ts';
import type { EventForm } from './schema-trigger.ts';
import type { EventPattern, ScriptableEvent } from './trigger.ts';

/** The type URL that a word means. */
export function readType(word: string, path: DocumentPath, findings: Findings): string {
  const type = resourceTypeNamed(word);
  if (type) return type.typeUrl;
  findings.report(
    path,
    `unknown resource type ${JSON.stringify(word)}`,
    wordRemedy(
      word,
      resourceTypes.map(({ short }) => short),
    ),
  );
  return '';
}

/** How a value is compared; `absent` means that it is not there. */
export function readMatcher(written: unknown, path: DocumentPath, findings: Findings): ValueMatcher {
  if (written === 'absent') return { kind: 'absent' };
  try {
    return valueMatcher(written as string | number | boolean);
  } catch (error) {
    findings.report(path, `${String(written)} is no regular expression: ${(error as Error).message.replace(/^.*: /s, '')}`);
    return { kind: 'absent' };
  }
}

/** Several values that are compared, by name. */
export function readMatchers(
  written: Readonly<Record<string, unknown>>,
  path: DocumentPath,
  findings: Findings,
): Record<string, ValueMatcher> {
  return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, readMatcher(value, [...path, name], findings)]));
}

/** A pattern and what stood under `nth` or `count`. */
export interface ReadPattern {
  readonly pattern: EventPattern;
  readonly number?: unknown;
}

/** What is written of an event; `numberKey` is the key that a number alone stands for. */
export function readPattern(
  event: ScriptableEvent,
  written: EventForm,
  numberKey: 'nth' | 'count',
  path: DocumentPath,
  findings: Findings,
): ReadPattern {
  const { [numberKey]: number, type, node, envoy, ...fields } = asFields(event, written, numberKey, path, findings);
  const place = (field: string): DocumentPath => (typeof written === 'object' && written !== null ? [...path, field] : path);
  for (const field of ['moment', 'step'] as const) {
    if (typeof fields[field] === 'string' && !/[*/]/.test(fields[field])) findings.refer(place(field), fields[field]);
  }
  const pattern: EventPattern = {
    event,
    ...(typeof type === 'string' ? { typeUrl: readType(type, place('type'), findings) } : {}),
    ...(node ? { node } : {}),
    ...(typeof envoy === 'string' ? envoyNamed(envoy, place('envoy'), findings) : {}),
    fields: Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, readMatcher(value, place(field), findings)])),
  };
  return { pattern, ...(number === undefined ? {} : { number }) };
}

/** The Envoy that a pattern means. */
export function envoyNamed(name: string, path: DocumentPath, findings: Findings): Pick<EventPattern, 'envoy'> {
  const node = findings.envoys.get(name);
  if (node !== undefined) return { envoy: { name, node } };
  const known = [...findings.envoys.keys()];
  if (known.length > 0) findings.report(path, `no Envoy has the name ${JSON.stringify(name)}`, wordRemedy(name, known));
  else findings.report(path, `found ${JSON.stringify(name)}, and there are no envoys with names`, 'Write envoys, or leave envoy out');
  return {};
}

function asFields(
  event: ScriptableEvent,
  written: EventForm,
  numberKey: string,
  path: DocumentPath,
  findings: Findings,
): Readonly<Record<string, unknown>> {
  if (written === null) return {};
  if (typeof written === 'number') return { [numberKey]: written };
  if (typeof written !== 'string') return written;
  const { shorthand } = eventWords[event];
  if (shorthand) return { [shorthand]: written };
  findings.report(
    path,
    `the event ${event} has no field that the text ${JSON.stringify(written)} could mean`,
    'Write a map of fields, or nothing',
  );
  return {};
}
