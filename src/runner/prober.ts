import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { escapeRe2 } from '../envoy/admin-client.ts';
import type { AdminClient } from '../envoy/index.ts';
import { pause } from '../envoy/pause.ts';
import { agentStatsFilter } from '../sidecar/agent-readiness.ts';
import { httpKey } from '../observe/sample.ts';
import type { HttpAnswer, HttpSubject, Needs, Sample } from '../observe/sample.ts';
import { probeHttp } from './http-probe.ts';

export interface ProberOptions {
  readonly admin: AdminClient;
  readonly clock: Clock;
  /** Milliseconds of the timeline. */
  readonly nowMs: () => number;
  /** Asked before each sample. */
  readonly needs: () => Needs;
  readonly onSample: (sample: Sample) => void;
  /** Called once, when the admin API has not answered for so long that nobody need wait for it; probing ends. */
  readonly onMute: (reason: string) => void;
}

/** Looks at Envoy again and again. */
export interface Prober {
  /** Something happened that may change Envoy: looks often for a while. */
  hurry(): void;
  /** Ends probing; settles when no look is under way any more. */
  stop(): Promise<void>;
}

/** Short at first: an Envoy may be LIVE within 60 ms of its start, and what comes before it should be seen. */
const firstPauseMs = 5;
const longestPauseMs = 50;
const muteAfterMs = 5_000;

/** Samples Envoy until `stop`, as often as is useful; each sample holds only what is needed. */
export function startProber(options: ProberOptions): Prober {
  const pace: Pace = { stopped: false, pauseMs: firstPauseMs, wake: new AbortController() };
  const done = probe(options, pace);
  return {
    hurry() {
      pace.pauseMs = firstPauseMs;
    },
    async stop() {
      pace.stopped = true;
      pace.wake.abort();
      await done;
    },
  };
}

interface Pace {
  stopped: boolean;
  pauseMs: number;
  readonly wake: AbortController;
}

async function probe({ admin, clock, nowMs, needs, onSample, onMute }: ProberOptions, pace: Pace): Promise<void> {
  let heardAtMs = nowMs();
  while (!pace.stopped) {
    const look = await takeSample(admin, needs(), nowMs);
    if (pace.stopped) return;
    if (look.sample.state !== undefined) heardAtMs = look.sample.finishedAtMs;
    onSample(look.sample);
    if (look.failure && nowMs() - heardAtMs > muteAfterMs) return onMute(look.failure.message);
    await pause(clock, pace.pauseMs, pace.wake.signal);
    pace.pauseMs = Math.min(pace.pauseMs * 1.15, longestPauseMs);
  }
}

interface LookAtEnvoy {
  readonly sample: Sample;
  /** Why the state could not be told. */
  readonly failure: FakeIstiodError | undefined;
}

/** Everything in one sample is asked at once: the shorter it takes, the surer it lies before or after a moment. */
async function takeSample(admin: AdminClient, { ready, stats, agent, config, http }: Needs, nowMs: () => number): Promise<LookAtEnvoy> {
  const startedAtMs = nowMs();
  let failure: FakeIstiodError | undefined;
  const state = admin.state().catch((error: unknown) => {
    failure = FakeIstiodError.from(error);
    return undefined;
  });
  const facts = await Promise.all([
    state.then((value) => value && { state: value }),
    ready && optional(admin.ready().then((value) => ({ ready: value }))),
    stats.length > 0 && optional(admin.stats({ filter: filterFor(stats) }).then((value) => ({ stats: value }))),
    agent && optional(admin.stats({ filter: agentStatsFilter, usedOnly: true }).then((value) => ({ agentStats: value }))),
    config && optional(admin.configDump({ includeEds: true }).then((value) => ({ config: value }))),
    http.length > 0 && optional(httpAnswers(admin, http).then((value) => ({ http: value }))),
  ]);
  const found = Object.assign({}, ...facts.filter(Boolean)) as Partial<Sample>;
  return { sample: { ...found, startedAtMs, finishedAtMs: nowMs() }, failure };
}

/** A fact that cannot be had is not in the sample. */
function optional<T>(fact: Promise<T>): Promise<T | undefined> {
  return fact.catch(() => undefined);
}

/** The whole names, and nothing else. */
function filterFor(names: readonly string[]): string {
  return `^(${names.map(escapeRe2).join('|')})$`;
}

async function httpAnswers(admin: AdminClient, subjects: readonly HttpSubject[]): Promise<ReadonlyMap<string, HttpAnswer>> {
  const bound = await admin.listeners();
  return new Map(await Promise.all(subjects.map(async (subject) => [httpKey(subject), await probeHttp(subject, bound)] as const)));
}
