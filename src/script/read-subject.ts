import type { DocumentPath } from '../protobuf/document.ts';
import type { Subject } from './expectation.ts';
import type { Findings } from './findings.ts';
import { readMatcher, readMatchers, readPattern, readType } from './read-pattern.ts';
import { isScriptable } from './read-trigger.ts';
import { subjectKeys, type ConfigForm, type ExpectationForm, type HttpForm, type ReadyForm } from './schema-expectation.ts';
import type { EventForm } from './schema-trigger.ts';

const fallback: Subject = { kind: 'exit', code: { kind: 'absent' } };

/** What an expectation looks at: exactly one thing. */
export function readSubject(written: ExpectationForm, path: DocumentPath, findings: Findings): Subject {
  const keys = Object.keys(written).filter((key) => isScriptable(key) || (subjectKeys as readonly string[]).includes(key));
  const [key, second] = keys;
  if (key === undefined) {
    findings.report(
      path,
      'the expectation says nothing of what is looked at',
      `Write one of ${subjectKeys.join(', ')}, or an event such as request.received`,
    );
    return fallback;
  }
  if (second !== undefined)
    findings.report([...path, second], `the expectation looks at ${keys.join(' and ')}`, 'Write one expectation for each', 'key');
  if (isScriptable(key)) return eventSubject(key, written[key] as EventForm, [...path, key], findings);
  return readers[key as keyof typeof readers](written[key as keyof ExpectationForm], [...path, key], findings);
}

function eventSubject(event: Parameters<typeof readPattern>[0], written: EventForm, path: DocumentPath, findings: Findings): Subject {
  const { pattern, number } = readPattern(event, written, 'count', path, findings);
  return { kind: 'event', pattern, ...(number === undefined ? {} : { count: readMatcher(number, [...path, 'count'], findings) }) };
}

type Reader = (written: unknown, path: DocumentPath, findings: Findings) => Subject;

const readers: Readonly<Record<(typeof subjectKeys)[number], Reader>> = {
  state: (written) => ({
    kind: 'state',
    states: (Array.isArray(written) ? written : [written]) as Extract<Subject, { kind: 'state' }>['states'],
  }),
  ready: (written, path, findings) => readySubject(written as ReadyForm, path, findings),
  stat: (written, path, findings) => ({ kind: 'stats', stats: readMatchers(written as Record<string, unknown>, path, findings) }),
  agent: (written, path, findings) => ({ kind: 'agent', verdict: readMatcher(written, path, findings) }),
  config: (written, path, findings) => configSubject(written as ConfigForm, path, findings),
  dump: (written, path, findings) => dumpSubject(written as Record<string, unknown>, path, findings),
  http: (written, path, findings) => httpSubject(written as HttpForm, path, findings),
  exit: (written, path, findings) => ({ kind: 'exit', code: readMatcher(written, path, findings) }),
  log: (written, path, findings) => ({ kind: 'log', line: readMatcher(written, path, findings) }),
};

function readySubject(written: ReadyForm, path: DocumentPath, findings: Findings): Subject {
  if (typeof written === 'number') return { kind: 'ready', code: readMatcher(written, path, findings) };
  if (Object.keys(written).length === 0) findings.report(path, 'neither code nor body is given', 'Write ready: 200, or code and body');
  return { kind: 'ready', ...readMatchers(written, path, findings) };
}

function configSubject(written: ConfigForm, path: DocumentPath, findings: Findings): Subject {
  const { type, lacks = [], count } = written;
  const given = (['active', 'warming', 'has'] as const).filter((key) => written[key] !== undefined);
  const [where = 'has', second] = given;
  if (second !== undefined)
    findings.report([...path, second], `${given.join(' and ')} stand together`, 'Write one expectation for each', 'key');
  const has = written[where] ?? [];
  if (has.length + lacks.length === 0 && count === undefined)
    findings.report(path, 'it demands nothing', 'Name resources under active, warming, has or lacks, or give a count');
  return {
    kind: 'config',
    typeUrl: readType(type, [...path, 'type'], findings),
    where: where === 'has' ? 'any' : where,
    has,
    lacks,
    ...(count === undefined ? {} : { count: readMatcher(count, [...path, 'count'], findings) }),
  };
}

function dumpSubject(written: Readonly<Record<string, unknown>>, path: DocumentPath, findings: Findings): Subject {
  const [only, ...others] = Object.entries(written);
  if (!only || others.length > 0)
    findings.report(path, `found ${1 + others.length - (only ? 0 : 1)} paths, expected one`, 'Write one expectation for each');
  return { kind: 'dump', path: only?.[0] ?? '', value: readMatcher(only?.[1] ?? 'absent', [...path, only?.[0] ?? ''], findings) };
}

function httpSubject(written: HttpForm, path: DocumentPath, findings: Findings): Subject {
  const { listener, path: target = '/', headers = {}, status, body, refused } = written;
  if (refused && (status !== undefined || body !== undefined))
    findings.report([...path, 'refused'], 'a refused connection has neither status nor body', 'Keep one of them', 'key');
  const nothingSaid = status === undefined && body === undefined && !refused;
  return {
    kind: 'http',
    listener,
    path: target,
    headers,
    ...(status !== undefined || nothingSaid ? { status: readMatcher(status ?? 200, [...path, 'status'], findings) } : {}),
    ...(body === undefined ? {} : { body: readMatcher(body, [...path, 'body'], findings) }),
    ...(refused ? { refused } : {}),
  };
}
