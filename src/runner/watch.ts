import type { Clock } from '../clock.ts';
import type { EnvoyExit } from '../envoy/index.ts';
import type { TimelineEvent } from '../events.ts';
import type { Node } from '../index.ts';
import { Checks } from '../observe/expectations.ts';
import type { CheckReport } from '../observe/expectations.ts';
import type { Variant } from '../protocol/request.ts';
import { durationText } from '../script/duration.ts';
import { fieldOf } from '../script/event-pattern.ts';
import type { ScriptInput } from '../script/event-pattern.ts';
import { expectationSentence } from '../script/explain.ts';
import type { Expectation } from '../script/expectation.ts';
import type { Scenario } from '../script/scenario.ts';
import type { IstiodSide } from './istiod-side.ts';
import type { Proxy } from './proxy.ts';
import type { RunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import { WatchedEnvoy } from './watched-envoy.ts';
import type { EnvoyToWatch } from './watched-envoy.ts';

export interface WatchOptions extends Pick<RunOptions, 'onEvent' | 'onReady' | 'signal' | 'timeoutMs'> {
  readonly scenario: Scenario;
  readonly istiod: IstiodSide;
  readonly clock: Clock;
  readonly variant: Variant;
  readonly envoyVersion: string;
  /** One without a name, or several with theirs. */
  readonly envoys: readonly EnvoyToWatch[];
}

/** After an end of Envoy that nobody expects, what its streams still bring is waited for so long. */
const afterExitMs = 250;
const tickMs = 50;
const unreadable = 'the log of an Envoy that was not started by this run cannot be read';

/** Follows a run until all is decided: what happens on both sides goes to the expectations, what they say goes to the timeline. */
export class Watch {
  /** Settles when everything is decided, the time is over, or the run was called off. Rejects if Envoy's admin API never opened. */
  readonly decided: Promise<void>;
  /** True if the run was called off. */
  interrupted = false;
  /** The Envoys of the run, in the order in which they were given. */
  readonly envoys: readonly WatchedEnvoy[];
  private readonly options: WatchOptions;
  /** Expectations that are about no Envoy in particular, where there are several. */
  private readonly common: Checks;
  private readonly problems: string[] = [];
  private readonly nodes = new Map<string, Node>();
  private readonly startedAtMs: number;
  private readonly callOffs: (() => void)[] = [];
  private decide: () => void = () => undefined;
  private fail: (error: unknown) => void = () => undefined;
  private decidedAtMs: number | undefined;
  private started = false;
  private stopped = false;

  constructor(options: WatchOptions) {
    const { scenario, istiod, envoys } = options;
    this.options = options;
    this.startedAtMs = istiod.nowMs;
    this.decided = new Promise((resolve, reject) => {
      this.decide = resolve;
      this.fail = reject;
    });
    this.decided.catch(() => undefined);
    const [only] = envoys;
    const isAlone = envoys.length === 1 && only?.name === undefined;
    this.common = this.checksOf(isAlone ? [] : scenario.expectations.filter(({ of }) => of === undefined));
    this.envoys = envoys.map((seat) =>
      this.watched(seat, isAlone ? scenario.expectations : scenario.expectations.filter(({ of }) => of === seat.name)),
    );
    for (const event of istiod.events) this.see(event);
    this.callOffs.push(istiod.on((event) => this.see(event)));
    for (const [i, { attached }] of envoys.entries())
      if (attached) this.tell(this.envoys[i]?.checks.logUnreadable(unreadable, this.nowMs) ?? []);
    this.beginTicking();
    this.listenTo(options.signal);
  }

  /** Ends watching. Whatever happens from now on is not part of the run. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const callOff of this.callOffs.splice(0)) callOff();
    this.decide();
    await Promise.all(this.envoys.map((envoy) => envoy.stop()));
  }

  /** What came out of it, once it is decided; `proxies` are the Envoys, in their order. */
  result(scenario: Scenario, proxies: readonly Proxy[]): RunResult {
    const { istiod, variant, envoyVersion } = this.options;
    const reports = this.allChecks.flatMap((checks) => checks.reports);
    const expectations = reports
      .sort((one, other) => one.index - other.index)
      .map(({ status, atMs, ...report }) => ({
        ...report,
        status: status === 'pending' ? ('undecided' as const) : status,
        atMs: atMs ?? this.nowMs,
      }));
    const neverFired = this.interrupted ? [] : istiod.neverFired;
    const met = expectations.every(({ status }) => status === 'met');
    return {
      scenario,
      variant,
      envoyVersion,
      ok: met && neverFired.length === 0 && this.problems.length === 0 && !this.interrupted,
      expectations,
      neverFired,
      problems: [...this.problems],
      interrupted: this.interrupted,
      durationMs: Math.round((this.decidedAtMs ?? this.nowMs) - this.startedAtMs),
      timeline: [...istiod.events],
      ...this.exits(proxies),
    };
  }

  private get nowMs(): number {
    return this.options.istiod.nowMs;
  }

  private get allChecks(): readonly Checks[] {
    return [this.common, ...this.envoys.map(({ checks }) => checks)];
  }

  private exits(proxies: readonly Proxy[]): Pick<RunResult, 'envoyExit' | 'envoys'> {
    const [first] = proxies.flatMap(({ exit }) => exit ?? []);
    const named = this.envoys.flatMap(({ name }, i) =>
      name === undefined ? [] : { name, ...(proxies[i]?.exit ? { exit: proxies[i].exit } : {}) },
    );
    return { ...(first ? { envoyExit: first } : {}), ...(named.length > 0 ? { envoys: named } : {}) };
  }

  private checksOf(expectations: readonly Expectation[]): Checks {
    const { variant, envoyVersion } = this.options;
    return new Checks(expectations, { variant, envoyVersion, sentence: expectationSentence, nodeOf: (event) => this.nodeOf(event) });
  }

  private watched(seat: EnvoyToWatch, expectations: readonly Expectation[]): WatchedEnvoy {
    const { istiod, clock, envoyVersion, onReady } = this.options;
    const envoy: WatchedEnvoy = new WatchedEnvoy(seat, this.checksOf(expectations), {
      istiod,
      clock,
      envoyVersion,
      isOver: () => this.stopped,
      tell: (reports) => this.tell(reports),
      fail: (error) => this.fail(error),
      onExit: (exit, reason) => this.exited(envoy, exit, reason),
      onMute: (reason) => this.lose(envoy, reason),
      onReady,
    });
    return envoy;
  }

  private beginTicking(): void {
    const { clock } = this.options;
    const callOffTick = { current: (): void => undefined };
    const tick = (): void => {
      callOffTick.current = clock.after(tickMs, tick);
      this.tick();
    };
    callOffTick.current = clock.after(tickMs, tick);
    this.callOffs.push(() => callOffTick.current());
  }

  private listenTo(signal: AbortSignal | undefined): void {
    const abort = (): void => this.callOff();
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    this.callOffs.push(() => signal?.removeEventListener('abort', abort));
  }

  private see(event: TimelineEvent): void {
    if (event.event === 'moment.marked' && event.moment === 'start') this.started = true;
    this.rememberNode(event);
    const frame = event.event === 'request.received' || event.event === 'response.sent';
    const owner = 'envoy' in event ? event.envoy : undefined;
    for (const envoy of this.envoys) {
      if (owner === undefined || owner === envoy.name) envoy.keeper?.event(event);
      if (frame) envoy.hurry();
    }
    this.options.onEvent?.(event);
    this.tell(this.common.event(event));
    // What happens to another Envoy says nothing of this one.
    for (const { name, checks } of this.envoys) if (owner === undefined || owner === name) this.tell(checks.event(event));
  }

  private tick(): void {
    const { istiod, timeoutMs, scenario } = this.options;
    const { nowMs } = istiod;
    istiod.inOrder(nowMs, () => {
      if (this.stopped) return;
      for (const checks of this.allChecks) this.tell(checks.tick(nowMs));
      const limitMs = timeoutMs ?? scenario.timeoutMs;
      if (nowMs - this.startedAtMs >= limitMs) this.close(`the ${durationText(limitMs)} of the run were over`);
    });
  }

  private exited(envoy: WatchedEnvoy, exit: EnvoyExit, reason: string): void {
    if (this.stopped) return;
    const { istiod, clock } = this.options;
    const code = exit.code === null ? {} : { code: exit.code };
    istiod.report({ event: 'envoy.exited', ...envoy.facts, ...code, ...(exit.signal ? { signal: exit.signal } : {}) });
    if (envoy.checks.expectsExit || this.common.expectsExit) return this.tell(envoy.checks.envoyGone(reason, this.nowMs));
    this.lose(envoy, reason);
    this.callOffs.push(clock.after(afterExitMs, () => this.close(reason)));
  }

  /** An Envoy cannot be looked at any more, and nobody expected that. */
  private lose(envoy: WatchedEnvoy, reason: string): void {
    if (this.decidedAtMs === undefined) this.problems.push(reason);
    this.tell(envoy.checks.envoyGone(reason, this.nowMs));
  }

  private callOff(): void {
    this.interrupted = true;
    this.close(undefined);
  }

  /** Puts what was decided into the timeline; ends the run if nothing is left to wait for. */
  private tell(reports: readonly CheckReport[]): void {
    for (const { index, sentence, status, reason } of reports) {
      if (status === 'met') this.options.istiod.report({ event: 'expectation.met', index, sentence });
      else this.options.istiod.report({ event: 'expectation.failed', index, sentence, reason: reason ?? '' });
    }
    if (
      this.started &&
      this.decidedAtMs === undefined &&
      this.allChecks.every(({ settled }) => settled) &&
      this.options.istiod.neverFired.length === 0
    )
      this.close('the run was over');
  }

  /** The run is over. `why` is for what is still undecided; without one it stays undecided. */
  private close(why: string | undefined): void {
    if (this.decidedAtMs !== undefined) return;
    this.decidedAtMs = this.nowMs;
    if (why !== undefined) for (const checks of this.allChecks) this.tell(checks.end(why, this.nowMs));
    this.decide();
  }

  private nodeOf(event: ScriptInput): Node | undefined {
    return this.nodes.get(streamKey(event));
  }

  private rememberNode(event: TimelineEvent): void {
    if (!('stream' in event) || this.nodes.has(streamKey(event))) return;
    const node = this.options.istiod.nodeOf(event.stream, event.istiod);
    if (node) this.nodes.set(streamKey(event), node);
  }
}

/** Each istiod counts its own streams. */
function streamKey(event: ScriptInput): string {
  return `${String(fieldOf(event, 'istiod') ?? '')}/${String(fieldOf(event, 'stream') ?? '')}`;
}

/** Begins to watch; events of before are seen too. */
export function watchRun(options: WatchOptions): Watch {
  return new Watch(options);
}
