import type { SourcePosition } from '../errors.ts';
import type { ServerState } from '../envoy/envoy-event.ts';
import type { Variant } from '../protocol/request.ts';
import type { ValueMatcher } from './matcher.ts';
import type { EventPattern } from './trigger.ts';

/** What is looked at. Both sides, Envoy's and istiod's, stand in one list with one clock. */
export type Subject =
  /** `/server_info` state. */
  | { readonly kind: 'state'; readonly states: readonly ServerState[] }
  /** `/ready`. */
  | { readonly kind: 'ready'; readonly code?: ValueMatcher; readonly body?: ValueMatcher }
  /** One or more stats of `/stats`, each compared; a stat that is not there is absent, never zero. */
  | { readonly kind: 'stats'; readonly stats: Readonly<Record<string, ValueMatcher>> }
  /** pilot-agent's readiness rule over its four stats: `ready`, or its reason as text. */
  | { readonly kind: 'agent'; readonly verdict: ValueMatcher }
  /** Names of resources Envoy has active or warming, by the config_dump. */
  | {
      readonly kind: 'config';
      readonly typeUrl: string;
      readonly where: 'active' | 'warming' | 'any';
      readonly has: readonly string[];
      readonly lacks: readonly string[];
      readonly count?: ValueMatcher;
    }
  /** Any place of `/config_dump`, by a dotted path in which `*` stands for any list member or key. */
  | { readonly kind: 'dump'; readonly path: string; readonly value: ValueMatcher }
  /** An HTTP request to a listener by name: the port it is bound to is looked up. */
  | {
      readonly kind: 'http';
      readonly listener: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly status?: ValueMatcher;
      readonly body?: ValueMatcher;
      readonly refused?: boolean;
    }
  /** The proxy's process ended. */
  | { readonly kind: 'exit'; readonly code: ValueMatcher }
  /** A line of Envoy's log, white space normalised. */
  | { readonly kind: 'log'; readonly line: ValueMatcher }
  /** An event happened, `count` times if given. */
  | { readonly kind: 'event'; readonly pattern: EventPattern; readonly count?: ValueMatcher };

/** When a subject must hold. All spans are counted from the moment `after` (default `start`, when Envoy is launched). */
export type Timing =
  /** It comes true within so many milliseconds. */
  | { readonly kind: 'within'; readonly ms: number }
  /** It comes true within `withinMs` and then holds for `forMs`. */
  | { readonly kind: 'stays-for'; readonly withinMs: number; readonly forMs: number }
  /** It comes true within `withinMs` and then holds until the moment is marked. */
  | { readonly kind: 'stays-until'; readonly withinMs: number; readonly moment: string }
  /** It is never true before the moment is marked. */
  | { readonly kind: 'never-until'; readonly moment: string }
  /** It is not true once during so many milliseconds. */
  | { readonly kind: 'never-for'; readonly ms: number }
  /** It is never true, up to the end of the run (when everything else is decided). */
  | { readonly kind: 'never' };

/** One line of a scenario's `expect` list. */
export interface Expectation {
  /** Position in the file's list, from 0. */
  readonly index: number;
  readonly subject: Subject;
  readonly timing: Timing;
  /** The moment from which time counts; `start` if not said. */
  readonly after: string;
  /** Only in runs of this variant. */
  readonly variant?: Variant;
  /** Only with Envoys in this range, e.g. `>=1.39`. */
  readonly envoy?: string;
  /** The one of several Envoys that is looked at, by its name. */
  readonly of?: string;
  /** Why this is expected; shown when it fails. */
  readonly because?: string;
  readonly at?: SourcePosition;
}
