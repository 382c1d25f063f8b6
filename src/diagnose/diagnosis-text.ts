import { placeText } from './evidence.ts';
import type { Evidence } from './evidence.ts';
import { certainties } from './diagnose.ts';
import type { Cause, Diagnosis } from './diagnose.ts';
import type { InputsDiagnosis, MomentDiagnosis } from './diagnose-inputs.ts';
import type { ProxyClass } from './standing.ts';

/** What people call a class. */
export const classNames: Readonly<Record<ProxyClass, string>> = {
  'never-started': 'Never started',
  'crash-loop': 'CrashLoop',
  'not-ready': 'Not ready',
  'false-live': 'False LIVE',
  ready: 'Ready',
  unknown: "Can't tell from this",
};

/** Marks in a text, so that a terminal can colour it. */
export interface Paint {
  strong(text: string): string;
  bad(text: string): string;
  good(text: string): string;
  quiet(text: string): string;
}

/** A diagnosis for people; no trailing line end. */
export function diagnosisText({ main, moments, inputs, notes }: InputsDiagnosis, paint: Paint): string {
  const { diagnosis } = main;
  const parts = [
    headline(main, moments.length > 1, paint),
    standingText(diagnosis),
    ...diagnosis.causes.map((cause, i) => causeText(cause, i + 1, paint)),
    pastText(diagnosis.past),
    listText('Not told by these inputs', diagnosis.missing),
    momentsText(main, moments, paint),
    listText('Notes', notes),
    paint.quiet(`Read: ${inputs.map(({ source, kind }) => `${source} (${kind})`).join(', ')}`),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function headline({ name, kind, diagnosis }: MomentDiagnosis, several: boolean, paint: Paint): string {
  const [first] = diagnosis.causes;
  const colour = diagnosis.class === 'ready' ? paint.good : paint.bad;
  const when = several || kind === 'step' || kind === 'state' ? ` ${name}` : '';
  const what =
    first === undefined || first.certainty === 'possible'
      ? fallback(diagnosis.class)
      : first.certainty === 'fits'
        ? `perhaps ${first.cause}`
        : first.cause;
  const detail = first?.detail !== undefined && first.certainty === 'shown' ? ` (${first.detail})` : '';
  // A cause that is shown is told, though nothing says what came of it.
  const fares = diagnosis.class === 'unknown' && first?.certainty === 'shown' ? 'Not told if it is ready' : classNames[diagnosis.class];
  return paint.strong(`${colour(fares)}${when}: ${what}${detail}`);
}

function fallback(kind: ProxyClass): string {
  return {
    ready: 'nothing is wrong with what was given',
    unknown: 'nothing in it says how the proxy fares',
    'not-ready': "can't tell from this why",
    'crash-loop': "can't tell from this why it exits",
    'false-live': "can't tell from this what is missing",
    'never-started': "can't tell from this why",
  }[kind];
}

function standingText({ state, agent, evidence }: Diagnosis): string {
  const says = [
    state === undefined ? undefined : `Envoy says ${state}`,
    agent === undefined ? undefined : `pilot-agent's rule says ${agent === 'ready' ? agent : `not ready: ${agent}`}`,
  ].filter((line) => line !== undefined);
  return [...says.map((line) => `  ${line}`), ...evidenceLines(evidence.slice(0, 4), '  ')].join('\n');
}

function causeText({ certainty, cause, detail, evidence, rulesOut, next, harmless }: Cause, number: number, paint: Paint): string {
  const title = `${number}. ${cause}${detail === undefined ? '' : `: ${detail}`}`;
  const label = (name: string): string => paint.quiet(name.padEnd(12));
  return [
    `${title} ${paint.quiet(`(${harmless ? 'harmless' : certainties[certainty]})`)}`,
    ...evidenceLines(evidence, '   '),
    `   ${label('ruled out by')} ${rulesOut}`,
    `   ${label('next look')} ${next}`,
  ].join('\n');
}

function evidenceLines(evidence: readonly Evidence[], indent: string): readonly string[] {
  const width = Math.min(48, Math.max(0, ...evidence.map(({ at }) => placeText(at).length)));
  return evidence.map(({ at, says }) => `${indent}${placeText(at).padEnd(width)}  ${says}`);
}

function pastText(past: readonly Cause[]): string {
  if (past.length === 0) return '';
  return ['Over by now', ...past.map(({ cause, evidence: [first] }) => `  - ${cause}${first ? ` (${placeText(first.at)})` : ''}`)].join(
    '\n',
  );
}

function listText(title: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [title, ...items.map((item) => `  - ${item}`)].join('\n');
}

function momentsText(main: MomentDiagnosis, moments: readonly MomentDiagnosis[], paint: Paint): string {
  if (moments.length < 2) return '';
  const rows = moments.map((moment) => {
    const { name, atMs, diagnosis } = moment;
    const [first] = diagnosis.causes;
    const when = atMs === undefined ? '' : `${(atMs / 1_000).toFixed(3)} s`;
    const row = `  ${moment === main ? '▸' : ' '} ${when.padStart(9)}  ${name.padEnd(28)}  ${classNames[diagnosis.class]}${first && first.certainty !== 'possible' ? `: ${first.id}` : ''}`;
    return moment === main ? paint.strong(row) : row;
  });
  return ['The run', ...rows].join('\n');
}
