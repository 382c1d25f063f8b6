import type { Evidence } from './evidence.ts';
import { some } from './seen.ts';
import type { Seen } from './seen.ts';
import { rules } from './registry.ts';
import { areas } from './rule.ts';
import type { Rule } from './rule.ts';
import { missingFor } from './missing.ts';
import { standingOf } from './standing.ts';
import type { ProxyClass, Standing } from './standing.ts';

/** How sure a cause is: its own words or a sign that only it leaves; signs that others leave too; a file that could do it. */
export const certainties = { shown: 'shown', fits: 'fits, not proven', possible: 'possible, no sign that it happened' } as const;
export type Certainty = keyof typeof certainties;

/** A cause, and what speaks for it. */
export interface Cause {
  readonly id: string;
  readonly certainty: Certainty;
  readonly cause: string;
  readonly detail?: string;
  readonly evidence: readonly Evidence[];
  readonly rulesOut: string;
  readonly next: string;
  readonly harmless: boolean;
}

/** What came out of the inputs, for one moment of one proxy. */
export interface Diagnosis {
  readonly class: ProxyClass;
  /** What says so. */
  readonly evidence: readonly Evidence[];
  /** Envoy's state; undefined if nothing tells it. */
  readonly state?: string;
  /** `ready` or why not, by pilot-agent's rule; undefined if nothing tells it. */
  readonly agent?: string;
  /** The likeliest first. Empty: can't tell from this, or nothing is wrong. */
  readonly causes: readonly Cause[];
  /** Signs of trouble that is over. */
  readonly past: readonly Cause[];
  /** What would tell more, where not everything is told. */
  readonly missing: readonly string[];
}

/** Judges what was seen. Pure. */
export function diagnose(seen: Seen): Diagnosis {
  const first = standingOf(seen);
  const judged = rules.flatMap((rule) => judge(rule, seen, first) ?? []);
  const standing = withClass(first, judged);
  const kept = dropRefined(judged.filter(({ certainty }) => !(certainty === 'fits' && standing.class === 'unknown' && judged.length > 3)));
  const isPast = (one: Judged): boolean => isOver(one.rule, standing);
  const causes = ranked(dropBeaten(kept.filter((one) => !isPast(one))));
  return {
    class: standing.class,
    evidence: standing.evidence,
    ...(standing.state ? { state: standing.state } : {}),
    ...(standing.agent ? { agent: standing.agent.verdict } : {}),
    causes: causes.map(asCause),
    past: ranked(kept.filter((one) => isPast(one) && one.certainty === 'shown')).map(asCause),
    missing: missingFor(
      seen,
      standing,
      causes.some(({ certainty, rule }) => certainty === 'shown' && !rule.harmless),
    ),
  };
}

interface Judged {
  readonly rule: Rule;
  readonly certainty: Certainty;
  readonly evidence: readonly Evidence[];
  readonly detail: string | undefined;
}

function judge(rule: Rule, seen: Seen, standing: Standing): Judged | undefined {
  const logged = rule.words ? seen.log(rule.words) : [];
  const told = rule.kubeWords
    ? [...seen.kubeEvents(rule.kubeWords), ...seen.of('container').filter(({ says }) => rule.kubeWords?.test(says))]
    : [];
  const shown = [...some(logged), ...some(told), ...some(rule.shows?.(seen, standing) ?? [], 4)];
  const fitting = some(rule.fits?.(seen, standing) ?? [], 6);
  const possible = shown.length + fitting.length > 0 ? [] : some(rule.possible?.(seen, standing) ?? []);
  const certainty = shown.length > 0 ? 'shown' : fitting.length > 0 ? 'fits' : possible.length > 0 ? 'possible' : undefined;
  if (certainty === undefined) return undefined;
  return { rule, certainty, evidence: [...shown, ...fitting, ...possible], detail: rule.detail?.(seen, standing) };
}

/** What a rule is sure to make is the class, where nothing else told it. */
function withClass(standing: Standing, judged: readonly Judged[]): Standing {
  const maker = judged.find(
    ({ rule, certainty }) => certainty === 'shown' && rule.makes !== undefined && (standing.class === 'unknown' || rule.overrules === true),
  );
  return maker?.rule.makes === undefined ? standing : { ...standing, class: maker.rule.makes, evidence: maker.evidence };
}

/** Whether the proxy has got beyond what a rule is about. */
function isOver({ area, whenReady, makes }: Rule, { class: kind, isConnected, hasClusters }: Standing): boolean {
  const isLost = isConnected === false;
  if (kind === 'ready') return !whenReady && !(isLost && area === 'connection');
  if (makes === 'crash-loop' && kind !== 'crash-loop' && kind !== 'unknown') return true;
  return area === 'connection' && hasClusters === true && isConnected === true;
}

function dropRefined(judged: readonly Judged[]): readonly Judged[] {
  const refined = new Set(judged.filter(({ certainty }) => certainty === 'shown').flatMap(({ rule }) => rule.refines ?? []));
  return judged.filter(({ rule }) => !refined.has(rule.id));
}

/** Where a cause is shown, those of its area that only fit are not worth a word; nor is what it keeps from happening. */
function dropBeaten(judged: readonly Judged[]): readonly Judged[] {
  const shown = new Set(judged.filter(({ certainty, rule }) => certainty === 'shown' && !rule.harmless).map(({ rule }) => rule.area));
  const firstShown = Math.min(...[...shown].map((area) => areas.indexOf(area)));
  return judged.filter(
    ({ rule, certainty }) => certainty !== 'fits' || areas.indexOf(rule.area) < firstShown || (!shown.has(rule.area) && shown.size === 0),
  );
}

function ranked(judged: readonly Judged[]): readonly Judged[] {
  const sure = Object.keys(certainties);
  const rank = ({ rule, certainty }: Judged): number =>
    (rule.harmless ? 1000 : 0) + sure.indexOf(certainty) * 100 + areas.indexOf(rule.area) * 10;
  return [...judged].sort((a, b) => rank(a) - rank(b));
}

function asCause({ rule, certainty, evidence, detail }: Judged): Cause {
  return {
    id: rule.id,
    certainty,
    cause: rule.cause,
    ...(detail === undefined ? {} : { detail }),
    evidence,
    rulesOut: rule.rulesOut,
    next: rule.next,
    harmless: rule.harmless ?? false,
  };
}
