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
import { collectReport, makeReportDir } from './report.ts';
import { writeRunReport } from './run-report.ts';
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
  /** `http://host:port` of Envoy's admin API; of several Envoys each, by its name in the scenario. It need not answer yet. */
  readonly adminUrl: string | Readonly<Record<string, string>>;
  /** How long an Envoy that does not answer yet is waited for. Default 60 s. */
  readonly waitMs?: number;
  /** Tells how Envoy speaks xDS, once it answers. */
  readonly variant: () => Promise<Variant>;
  /** Called once istiod is followed: from now on nothing is missed. */
  readonly onFollowing?: () => void;
  /** A file with Envoy's log. Without it what should stand there is not looked at. */
  readonly envoyLog?: string;
}

/** An Envoy that somebody else started. */
interface Attached {
  /** Of several. */
  readonly name?: string;
  readonly proxy: Found;
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
 *   scenario whose Envoy is expected to end, that has several istiods, or other Envoys than those named.
 */
export async function verifyScenario(
  wanted: Scenario | (() => Promise<Scenario>),
  options: VerifyOptions,
): Promise<VerifyResult | undefined> {
  if (typeof wanted !== 'function') refuseUnseen(wanted, options);
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
    const envoys = await awaitProxies(options, clock, lost.signal);
    if (!envoys) return undefined;
    const scenario = typeof wanted === 'function' ? await wanted() : wanted;
    refuseUnseen(scenario, options);
    if (wantsNodes(scenario)) await side.learnNodes();
    return await watched(scenario, { ...options, clock }, side, envoys, lost.signal);
  } finally {
    await side.stop();
  }
}

type Found = Proxy & { readonly version: string };

async function watched(
  scenario: Scenario,
  options: VerifyOptions & { readonly clock: Clock },
  side: RemoteSide,
  envoys: readonly Attached[],
  lost: AbortSignal,
): Promise<VerifyResult> {
  const { clock, envoyLog, reportDir } = options;
  const variant = await options.variant();
  side.ignoredSteps = new Set(
    scenario.steps.filter((step) => step.variant !== undefined && step.variant !== variant).map(({ name }) => name),
  );
  const { seen, unseen } = seenFromOutside(scenario.expectations, envoyLog !== undefined);
  const about = { variant, envoyVersion: envoys[0]?.proxy.version ?? '' };
  const watch = watchRun({
    scenario: { ...scenario, expectations: seen },
    istiod: side,
    clock,
    ...about,
    envoys: envoys.map(({ name }) => ({ ...(name === undefined ? {} : { name }), attached: envoyLog === undefined })),
    ...picked(options),
  });
  const log = envoyLog === undefined ? undefined : new FollowedFile(envoyLog, { clock, onLine: (line) => watch.envoys[0]?.onLog(line) });
  try {
    side.mark('start');
    for (const [i, envoy] of watch.envoys.entries()) if (envoys[i]) envoy.follow(envoys[i].proxy);
    await decided(watch, lost);
    await log?.stop();
    await side.settle();
    const result: VerifyResult = {
      ...watch.result(
        scenario,
        envoys.map(({ proxy }) => proxy),
      ),
      unseen: unseen
        .filter(({ expectation }) => applies(expectation, about))
        .map(({ index, expectation, reason }) => ({ index, sentence: expectationSentence(expectation), reason })),
    };
    if (reportDir === undefined) return result;
    const parts = watch.envoys.map(async ({ name, admin }) => ({
      ...(name === undefined ? {} : { name }),
      bootstrap: undefined,
      live: await collectReport(admin, undefined),
      hasLog: false,
      moments: [],
    }));
    await writeRunReport(reportDir, { ...result, reportDir }, await Promise.all(parts));
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

/** All Envoys, once each answers. Undefined if it was called off meanwhile. */
async function awaitProxies(options: VerifyOptions, clock: Clock, lost: AbortSignal): Promise<readonly Attached[] | undefined> {
  const { adminUrl } = options;
  const named: readonly (readonly [string | undefined, string])[] =
    typeof adminUrl === 'string' ? [[undefined, adminUrl]] : Object.entries(adminUrl);
  const found: Attached[] = [];
  for (const [name, url] of named) {
    const proxy = await awaitProxy(url, options, clock, lost);
    if (!proxy) return undefined;
    found.push({ ...(name === undefined ? {} : { name }), proxy });
  }
  return found;
}

/** Waits for an Envoy to answer. Undefined if it was called off meanwhile. */
async function awaitProxy(
  url: string,
  { waitMs = 60_000, signal }: VerifyOptions,
  clock: Clock,
  lost: AbortSignal,
): Promise<Found | undefined> {
  const ended = signal ? AbortSignal.any([signal, lost]) : lost;
  const begunMs = clock.now();
  for (;;) {
    if (signal?.aborted) return undefined;
    if (lost.aborted) throw FakeIstiodError.from(lost.reason);
    try {
      return await attachProxy(url, clock);
    } catch (error) {
      const known = FakeIstiodError.from(error);
      if (known.code !== 'envoy.unreachable') throw known;
      if (clock.now() - begunMs >= waitMs) throw neverAnswered(url, waitMs, known);
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
function refuseExit(scenario: Scenario | undefined): void {
  const wanted = scenario?.expectations.find(({ subject, timing }) => subject.kind === 'exit' && !timing.kind.startsWith('never'));
  if (!scenario || !wanted) return;
  const what = expectationSentence(wanted).replace(/\.$/, '');
  throw new FakeIstiodError('usage.invalid', `${scenario.name} expects Envoy to end (${what}), which only who started it can see`, {
    remedy: `Use fake-istiod run ${scenario.name}`,
  });
}

/** Error `usage.invalid` for what cannot be seen from here. */
export function refuseUnseen(scenario: Scenario | undefined, { adminUrl, envoyLog }: Pick<VerifyOptions, 'adminUrl' | 'envoyLog'>): void {
  refuseExit(scenario);
  if (!scenario) return;
  const { name, envoys = [], istiods } = scenario;
  if (istiods)
    throw new FakeIstiodError('usage.invalid', `${name} has ${istiods.length} istiods, and here one is looked at`, {
      remedy: `Use fake-istiod run ${name}`,
    });
  const wanted = envoys.map((envoy) => envoy.name);
  const given = typeof adminUrl === 'string' ? [] : Object.keys(adminUrl);
  if (wanted.length === given.length && wanted.every((one) => given.includes(one))) {
    if (wanted.length === 0 || envoyLog === undefined) return;
    throw new FakeIstiodError('usage.invalid', 'a log of one Envoy does not go with several', { remedy: 'Leave it out' });
  }
  const told = given.length === 0 ? 'one without a name was given' : `${given.join(', ')} were given`;
  throw new FakeIstiodError(
    'usage.invalid',
    wanted.length === 0 ? `${name} has one Envoy without a name, and ${told}` : `${name} has the Envoys ${wanted.join(', ')}, and ${told}`,
    { remedy: wanted.length === 0 ? 'Write the URL alone' : `Name each: ${wanted.map((one) => `${one}=http://HOST:PORT`).join(' and ')}` },
  );
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
