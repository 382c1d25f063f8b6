import type { Evidence } from './evidence.ts';
import type { Seen } from './seen.ts';
import type { ProxyClass, Standing } from './standing.ts';

/**
 * Which part of a proxy's way to ready a cause is in, in the order in which they block each other: what fails early hides what
 * would fail later.
 */
export const areas = ['pod', 'bootstrap', 'agent', 'connection', 'certificate', 'config', 'rejected', 'after'] as const;
export type Area = (typeof areas)[number];

type Ask = (seen: Seen, standing: Standing) => readonly Evidence[];

/** One cause, and what speaks for it. A rule judges by itself; what it knows of others is only whom it makes superfluous. */
export interface Rule {
  /** Stable; part of `--json`. */
  readonly id: string;
  readonly area: Area;
  /** A sentence without a full stop. */
  readonly cause: string;
  /** What of it one sees, for the table of the docs. */
  readonly symptom: string;
  /** What would rule it out. */
  readonly rulesOut: string;
  /** The next look: a command, or where to look. */
  readonly next: string;
  /** Words of a log that name this cause and no other. */
  readonly words?: RegExp;
  /** Words of Kubernetes events or container states that do. */
  readonly kubeWords?: RegExp;
  /** Other evidence that shows this cause and no other. */
  readonly shows?: Ask;
  /** Evidence that this cause would leave, but others might as well. */
  readonly fits?: Ask;
  /** What could do this, found in a file; no sign that it did. */
  readonly possible?: Ask;
  /** More on it, from the evidence: names, amounts. */
  readonly detail?: (seen: Seen, standing: Standing) => string | undefined;
  /** More general causes that this one makes superfluous where it is shown. */
  readonly refines?: readonly string[];
  /** It says something of a ready proxy too; others are then past. */
  readonly whenReady?: boolean;
  /** The class that this cause makes, if nothing else tells it. */
  readonly makes?: ProxyClass;
  /** That class stands even where something else told another. */
  readonly overrules?: boolean;
  /** It is no trouble at all. */
  readonly harmless?: boolean;
}
