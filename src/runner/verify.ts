import { systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { pause } from '../envoy/pause.ts';
import { FakeIstiodError } from '../errors.ts';
import { applies } from '../observe/expectations.ts';
import type { Variant } from '../protocol/request.ts';
import { durationText } from '../script/duration.ts';
import { expectationSentence } from '../script/explain.ts';
import type { Scenario } from '../script/scenario.ts';
import { FollowedFile } from './followed-file.ts';
import { attachProxy } from './proxy.ts';
import type { Proxy } from './proxy.ts';
import { RemoteSide } from './remote-istiod.ts';
import type { RemoteIstiod } from './remote-istiod.ts';
import { collectReport, makeReportDir, writeReport } from './report.ts';
import type { RunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import { seenFromOutside } from './seen-from-outside.ts';
import { watchRun } from './watch.ts';
import type { Watch } from './watch.ts';

export interface VerifyOptions extends Pick<RunOptions, 'timeoutMs' | 'reportDir' | 'onEvent' | 'onReady' | 'signal' | 'clock'> {
  /** The istiod that plays the scenario. */
  readonly istiod: RemoteIstiod;
  /** Events of istiod's timeline from this `seq` on count; default 1, all that it keeps. */
  readonly fromSeq?: number;
  /** `http://host:port` of Envoy's admin API. It need not answer yet. */
  readonly adminUrl: string;
  /** How long an Envoy that does not answer yet is waited for. Default 60 s. */
  readonly waitMs?: number;
  /** Tells how Envoy speaks xDS, once it answers. */
  readonly variant: () => Promise<Variant>;
  /** Called once istiod is followed: from now on nothing is missed. */
  readonly onFollowing?: () => void;
  /** A file with Envoy's log. Without it what should stand there is not looked at. */
  readonly envoyLog?: string;
}

/** What came of looking from outside. */
export interface VerifyResult extends RunResult {
  /** Expectations that could not be looked at. They count neither way. */
  readonly unseen: readonly { readonly index: number; readonly sentence: string; readonly reason: string }[];
}

/**
 * The expectations of a scenario on an istiod and an Envoy that somebody else started: the one by its control API, the other by its admin
 * API. The run starts when both answer; a scenario that is a function is asked for only then. Undefined if it was called off before that.
 *
 * @throws FakeIstiodError `control.unreachable`, `istiod.stopped`, `envoy.unreachable`, `output.unwritable`, and `usage.invalid` for a
 *   scenario whose Envoy is expected to end.
 */
export async function verifyScenario(
  wanted: Scenario | (() => Promise<Scenario>),
  options: VerifyOptions,
): Promise<VerifyResult | undefined> {
  if (typeof wanted !== 'function') refuseExit(wanted);
  await makeReportDir(options.reportDir);
  const clock = options.clock ?? systemClock;
  const lost = new AbortController();
  const side = new RemoteSide({
    istiod: options.istiod,
    clock,
    onLost: (error) => lost.abort(error),
    ...(options.fromSeq === undefined ? {} : { fromSeq: options.fromSeq }),
  });
  try {
    await side.start();
    options.onFollowing?.();
    const proxy = await awaitProxy(options, clock, lost.signal);
    if (!proxy) return undefined;
    const scenario = typeof wanted === 'function' ? await wanted() : wanted;
    refuseExit(scenario);
    if (wantsNodes(scenario)) await side.learnNodes();
    return await watched(scenario, { ...options, clock }, side, proxy, lost.signal);
  } finally {
    await side.stop();
  }
}

type Found = Proxy & { readonly version: string };

async function watched(
  scenario: Scenario,
  options: VerifyOptions & { readonly clock: Clock },
  side: RemoteSide,
  proxy: Found,
  lost: AbortSignal,
): Promise<VerifyResult> {
  const { clock, envoyLog, reportDir } = options;
  const variant = await options.variant();
  side.ignoredSteps = new Set(
    scenario.steps.filter((step) => step.variant !== undefined && step.variant !== variant).map(({ name }) => name),
  );
  const { seen, unseen } = seenFromOutside(scenario.expectations, envoyLog !== undefined);
  const about = { variant, envoyVersion: proxy.version };
  const watch = watchRun({
    scenario: { ...scenario, expectations: seen },
    istiod: side,
    clock,
    ...about,
    attached: envoyLog === undefined,
    ...picked(options),
  });
  const log = envoyLog === undefined ? undefined : new FollowedFile(envoyLog, { clock, onLine: watch.onLog });
  try {
    side.mark('start');
    watch.follow(proxy);
    await decided(watch, lost);
    await log?.stop();
    await side.settle();
    const result: VerifyResult = {
      ...watch.result(scenario, proxy),
      unseen: unseen
        .filter(({ expectation }) => applies(expectation, about))
        .map(({ index, expectation, reason }) => ({ index, sentence: expectationSentence(expectation), reason })),
    };
    if (reportDir === undefined) return result;
    const live = await collectReport(watch.admin, undefined);
    await writeReport(reportDir, { result: { ...result, reportDir }, bootstrap: undefined, live, hasLog: false, moments: [] });
    return { ...result, reportDir };
  } finally {
    await Promise.all([watch.stop(), log?.stop()]);
  }
}

/** Rejects if istiod is lost before all is decided. */
async function decided(watch: Watch, lost: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (): void => reject(FakeIstiodError.from(lost.reason));
    if (lost.aborted) return fail();
    lost.addEventListener('abort', fail, { once: true });
    watch.decided.then(resolve, reject).finally(() => lost.removeEventListener('abort', fail));
  });
}

const pauseMs = 20;

/** Waits for Envoy to answer. Undefined if it was called off meanwhile. */
async function awaitProxy(
  { adminUrl, waitMs = 60_000, signal }: VerifyOptions,
  clock: Clock,
  lost: AbortSignal,
): Promise<Found | undefined> {
  const ended = signal ? AbortSignal.any([signal, lost]) : lost;
  const begunMs = clock.now();
  for (;;) {
    if (signal?.aborted) return undefined;
    if (lost.aborted) throw FakeIstiodError.from(lost.reason);
    try {
      return await attachProxy(adminUrl, clock);
    } catch (error) {
      const known = FakeIstiodError.from(error);
      if (known.code !== 'envoy.unreachable') throw known;
      if (clock.now() - begunMs >= waitMs) throw neverAnswered(adminUrl, waitMs, known);
    }
    await pause(clock, pauseMs, ended);
  }
}

function neverAnswered(url: string, waitMs: number, cause: FakeIstiodError): FakeIstiodError {
  return new FakeIstiodError('envoy.unreachable', `no Envoy answered at ${url} within ${durationText(waitMs)}: ${cause.message}`, {
    remedy: 'Does it run, and is its admin API reachable from here? --wait waits longer',
    cause,
  });
}

/**
 * Error `usage.invalid` for a scenario whose Envoy is expected to end.
 * @note Its admin API is never there to be asked, and nobody but its parent is told how a process ends.
 */
export function refuseExit(scenario: Scenario | undefined): void {
  const wanted = scenario?.expectations.find(({ subject, timing }) => subject.kind === 'exit' && !timing.kind.startsWith('never'));
  if (!scenario || !wanted) return;
  const what = expectationSentence(wanted).replace(/\.$/, '');
  throw new FakeIstiodError('usage.invalid', `${scenario.name} expects Envoy to end (${what}), which only who started it can see`, {
    remedy: `Use fake-istiod run ${scenario.name}`,
  });
}

/** Whether a pattern of the scenario asks for more of a node than its id, which is all that events say. */
function wantsNodes({ expectations }: Scenario): boolean {
  return expectations.some(({ subject }) => {
    const node = subject.kind === 'event' ? subject.pattern.node : undefined;
    return node !== undefined && (node.cluster !== undefined || node.metadata !== undefined || node.locality !== undefined);
  });
}

function picked({
  onEvent,
  onReady,
  signal,
  timeoutMs,
}: VerifyOptions): Pick<VerifyOptions, 'onEvent' | 'onReady' | 'signal' | 'timeoutMs'> {
  return {
    ...(onEvent ? { onEvent } : {}),
    ...(onReady ? { onReady } : {}),
    ...(signal ? { signal } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}
