import type { TimelineEvent } from '../events.ts';
import type { EnvoyExit } from '../envoy/index.ts';
import type { Variant } from '../protocol/request.ts';
import type { Scenario } from '../script/scenario.ts';

/** How one expectation ended. */
export interface ExpectationResult {
  /** Position in the scenario's list, from 0. */
  readonly index: number;
  /** The expectation in English. */
  readonly sentence: string;
  /** `undecided` only if the run was called off. */
  readonly status: 'met' | 'failed' | 'undecided';
  /** What was seen instead; only where it failed. */
  readonly reason?: string;
  /** When it was decided, in milliseconds of the timeline. */
  readonly atMs: number;
}

/** What came out of one run. */
export interface RunResult {
  readonly scenario: Scenario;
  readonly variant: Variant;
  readonly envoyVersion: string;
  /** True if every expectation was met, every step fired and nothing else went wrong. */
  readonly ok: boolean;
  readonly expectations: readonly ExpectationResult[];
  /** Steps that never fired, each with what it waited for, in English. */
  readonly neverFired: readonly { readonly step: string; readonly sentence: string }[];
  /** What else went wrong, e.g. that Envoy ended although nobody expects it. */
  readonly problems: readonly string[];
  /** True if the run was called off by its signal. */
  readonly interrupted: boolean;
  /** From Envoy's launch until all was decided. */
  readonly durationMs: number;
  readonly timeline: readonly TimelineEvent[];
  /** How Envoy, or the first of several that did, ended before it was stopped. */
  readonly envoyExit?: EnvoyExit;
  /** Of several Envoys each, and how it ended. */
  readonly envoys?: readonly { readonly name: string; readonly exit?: EnvoyExit }[];
  readonly reportDir?: string;
}
