import type { DocumentPath } from '../protobuf/document.ts';
import { durationMs } from './duration.ts';
import { tellsEnvoy } from './event-fields.ts';
import type { Expectation, Subject, Timing } from './expectation.ts';
import type { Findings } from './findings.ts';
import { envoyNamed } from './read-pattern.ts';
import { reportIstiod } from './read-proxies.ts';
import { readSubject } from './read-subject.ts';
import type { ExpectationForm } from './schema-expectation.ts';
import { isVersionRange } from './version-range.ts';

const defaultWithinMs = 10_000;

/** All expectations. What is looked at in Envoy is looked at in each of several Envoys, unless one is named. */
export function readExpectations(written: readonly ExpectationForm[], timeoutMs: number, findings: Findings): readonly Expectation[] {
  return written.flatMap((one, i) => {
    const { names, version } = readEnvoyWords(one, ['expect', i, 'envoy'], findings);
    const expectation = readExpectation(one, i, timeoutMs, findings);
    const told = { ...expectation, ...(version === undefined ? {} : { envoy: version }) };
    if (told.subject.kind === 'event' && names.length === 0) return [told];
    const meant = names.length > 0 ? names : [...findings.envoys.keys()];
    return meant.length === 0 ? [told] : meant.map((name) => ofEnvoy(told, name, one, findings));
  });
}

/** Names of Envoys, and a range of versions, which begins with a digit or a sign. */
function readEnvoyWords({ envoy = [] }: ExpectationForm, path: DocumentPath, findings: Findings): { names: string[]; version?: string } {
  const words = typeof envoy === 'string' ? [envoy] : envoy;
  const ranges = words.filter((word) => isVersionRange(word));
  const names = words.filter((word) => !ranges.includes(word));
  const place = (word: string): DocumentPath => (typeof envoy === 'string' ? path : [...path, words.indexOf(word)]);
  if (ranges.length > 1) findings.report(path, 'two ranges of versions', 'Write one, such as ">=1.38 <1.40"');
  for (const name of names) {
    if (findings.envoys.size > 0) envoyNamed(name, place(name), findings);
    else
      findings.report(
        place(name),
        `found ${JSON.stringify(name)}, expected a range of versions`,
        'Write it like ">=1.39" or ">=1.38 <1.40"; only with envoys are there names',
      );
  }
  return { names, ...(ranges[0] === undefined ? {} : { version: ranges[0] }) };
}

/** The expectation about one of several Envoys. */
function ofEnvoy(expectation: Expectation, name: string, written: ExpectationForm, findings: Findings): Expectation {
  const { subject, index } = expectation;
  if (subject.kind !== 'event') return { ...expectation, of: name };
  const { event } = subject.pattern;
  if (!tellsEnvoy(event)) findings.report(['expect', index, 'envoy'], `${event} does not tell whose it is`, noteOn(event), 'key');
  if (written[event] !== null && typeof written[event] === 'object' && 'envoy' in written[event])
    findings.report(['expect', index, 'envoy'], 'an Envoy is named twice', 'Keep one of them', 'key');
  const node = findings.envoys.get(name) ?? '';
  return { ...expectation, of: name, subject: { ...subject, pattern: { ...subject.pattern, envoy: { name, node } } } };
}

function noteOn(event: string): string {
  return event.startsWith('stream.') ? 'Expect request.received, which names the node' : 'Take envoy away';
}

function readExpectation(written: ExpectationForm, index: number, timeoutMs: number, findings: Findings): Expectation {
  const path: DocumentPath = ['expect', index];
  const { after, variant, because, istiod } = written;
  if (after !== undefined) findings.refer([...path, 'after'], after);
  return {
    index,
    subject: ofIstiod(readSubject(written, path, findings), istiod, [...path, 'istiod'], findings),
    timing: readTiming(written, path, timeoutMs, findings),
    after: after ?? 'start',
    ...(variant ? { variant } : {}),
    ...(because ? { because } : {}),
    at: findings.at(path),
  };
}

/** An event of one of several istiods. */
function ofIstiod(subject: Subject, name: string | undefined, path: DocumentPath, findings: Findings): Subject {
  if (name === undefined) return subject;
  if (!findings.istiods.includes(name)) reportIstiod(name, path, findings);
  if (subject.kind === 'event') return { ...subject, pattern: { ...subject.pattern, istiod: name } };
  findings.report(path, 'only an event is of an istiod', 'Name an Envoy, or nobody', 'key');
  return subject;
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
