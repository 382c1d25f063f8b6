import type { DocumentPath } from '../protobuf/document.ts';
import { durationMs } from './duration.ts';
import type { Expectation, Timing } from './expectation.ts';
import type { Findings } from './findings.ts';
import { readSubject } from './read-subject.ts';
import type { ExpectationForm } from './schema-expectation.ts';
import { isVersionRange } from './version-range.ts';

const defaultWithinMs = 10_000;

/** An expectation as written. `timeoutMs` bounds every span, for what takes longer can never be decided. */
export function readExpectation(written: ExpectationForm, index: number, timeoutMs: number, findings: Findings): Expectation {
  const path: DocumentPath = ['expect', index];
  const { after, variant, envoy, because } = written;
  if (after !== undefined) findings.refer([...path, 'after'], after);
  if (envoy !== undefined && !isVersionRange(envoy)) {
    findings.report(
      [...path, 'envoy'],
      `found ${JSON.stringify(envoy)}, expected a range of versions`,
      'Write it like ">=1.39" or ">=1.38 <1.40"',
    );
  }
  return {
    index,
    subject: readSubject(written, path, findings),
    timing: readTiming(written, path, timeoutMs, findings),
    after: after ?? 'start',
    ...(variant ? { variant } : {}),
    ...(envoy ? { envoy } : {}),
    ...(because ? { because } : {}),
    at: findings.at(path),
  };
}

function readTiming(written: ExpectationForm, path: DocumentPath, timeoutMs: number, findings: Findings): Timing {
  const { within, stays, never } = written;
  const span = (key: 'within' | 'stays' | 'never', text: string): number => bounded(text, [...path, key], timeoutMs, findings);
  const withinMs = within === undefined ? Math.min(defaultWithinMs, timeoutMs) : span('within', within);
  if (never !== undefined) {
    for (const other of ['within', 'stays'] as const) {
      if (written[other] !== undefined)
        findings.report([...path, other], `${other} and never contradict each other`, 'Keep one of them', 'key');
    }
    if (never === true) return { kind: 'never' };
    const moment = untilMoment('never', never, written, path, findings);
    return moment === undefined ? { kind: 'never-for', ms: span('never', never) } : { kind: 'never-until', moment };
  }
  if (stays === undefined) return { kind: 'within', ms: withinMs };
  const moment = untilMoment('stays', stays, written, path, findings);
  return moment === undefined ? { kind: 'stays-for', withinMs, forMs: span('stays', stays) } : { kind: 'stays-until', withinMs, moment };
}

function bounded(text: string, path: DocumentPath, timeoutMs: number, findings: Findings): number {
  const ms = durationMs(text) ?? 0;
  if (ms > timeoutMs)
    findings.report(
      path,
      `${text} is longer than the whole run, which timeout bounds to ${timeoutMs / 1000}s`,
      'Shorten it or raise timeout',
    );
  return ms;
}

function untilMoment(
  key: 'never' | 'stays',
  text: string,
  { after }: ExpectationForm,
  path: DocumentPath,
  findings: Findings,
): string | undefined {
  if (!text.startsWith('until ')) return undefined;
  const moment = text.slice('until '.length).trim();
  const place = [...path, key];
  findings.refer(place, moment);
  if (moment === (after ?? 'start'))
    findings.report(place, `it would have to hold from ${moment} until ${moment}, which is no time at all`, 'Name two different moments');
  return moment;
}
