import type { AdminAnswer, JsonObject, ServerState, StatValue } from '../envoy/index.ts';
import type { Subject } from '../script/expectation.ts';

export type HttpSubject = Extract<Subject, { kind: 'http' }>;

/** What became of an HTTP request to a listener. */
export type HttpAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /** The listener's port refused the connection. */
  | { readonly kind: 'refused' }
  /** There is no such listener, or the connection broke; in words. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Facts about Envoy, looked up within one span of time. What nobody needed is absent. */
export interface Sample {
  /** Milliseconds of the timeline. */
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** Of `/server_info`. */
  readonly state?: ServerState;
  /** Of `/ready`. */
  readonly ready?: AdminAnswer;
  /** Of `/stats`: those asked for. A stat that Envoy does not have is not in it. */
  readonly stats?: ReadonlyMap<string, StatValue>;
  /** Of `/stats?usedonly`: those that pilot-agent reads. */
  readonly agentStats?: ReadonlyMap<string, StatValue>;
  /** `/config_dump?include_eds`. */
  readonly config?: JsonObject;
  /** Answers by `httpKey` of the request. */
  readonly http?: ReadonlyMap<string, HttpAnswer>;
}

/** What the next sample should hold, beside the state. */
export interface Needs {
  readonly ready: boolean;
  readonly stats: readonly string[];
  readonly agent: boolean;
  readonly config: boolean;
  readonly http: readonly HttpSubject[];
}

/** The same for two subjects that need the same request. */
export function httpKey({ listener, path, headers }: HttpSubject): string {
  return JSON.stringify([listener, path, Object.entries(headers).sort()]);
}

/** Subjects that a sample can tell; the others are told by events and lines of the log. */
export type SampledSubject = Exclude<Subject, { kind: 'event' | 'exit' | 'log' }>;

export function isSampled(subject: Subject): subject is SampledSubject {
  return subject.kind !== 'event' && subject.kind !== 'exit' && subject.kind !== 'log';
}

/** What the next sample should hold for these subjects. */
export function needsOf(subjects: readonly Subject[]): Needs {
  const http = new Map<string, HttpSubject>();
  const stats = new Set<string>();
  for (const subject of subjects) {
    if (subject.kind === 'http') http.set(httpKey(subject), subject);
    if (subject.kind === 'stats') for (const name of Object.keys(subject.stats)) stats.add(name);
  }
  const has = (...kinds: readonly Subject['kind'][]): boolean => subjects.some(({ kind }) => kinds.includes(kind));
  return { ready: has('ready'), stats: [...stats], agent: has('agent'), config: has('config', 'dump'), http: [...http.values()] };
}
