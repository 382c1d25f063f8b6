import type { Clock } from '../clock.ts';
import type { AdminClient, EnvoyExit } from '../envoy/index.ts';
import { parseEnvoyLogLine } from '../envoy/index.ts';
import type { TimelineEvent } from '../events.ts';
import type { Node } from '../index.ts';
import { Checks } from '../observe/expectations.ts';
import type { CheckReport } from '../observe/expectations.ts';
import type { Sample } from '../observe/sample.ts';
import type { Variant } from '../protocol/request.ts';
import { durationText } from '../script/duration.ts';
import { expectationSentence } from '../script/explain.ts';
import type { ScriptInput } from '../script/event-pattern.ts';
import type { Scenario } from '../script/scenario.ts';
import type { MomentKeeper } from './moments.ts';
import type { IstiodSide } from './istiod-side.ts';
import { startProber } from './prober.ts';
import type { Prober } from './prober.ts';
import type { Proxy } from './proxy.ts';
import type { RunOptions } from './run-options.ts';
import type { RunResult } from './run-result.ts';

export interface WatchOptions extends Pick<RunOptions, 'onEvent' | 'onReady' | 'signal' | 'timeoutMs'> {
  readonly scenario: Scenario;
  readonly istiod: IstiodSide;
  readonly clock: Clock;
  readonly variant: Variant;
  readonly envoyVersion: string;
  /** The Envoy is not ours: neither its log nor its end can be seen. */
  readonly attached: boolean;
  /** Keeps what a report has of the moments of a run. */
  readonly keeper?: MomentKeeper;
}

/** After an end of Envoy that nobody expects, what its streams still bring is waited for so long. */
const afterExitMs = 250;
const tickMs = 50;

/** Follows a run until all is decided: what happens on both sides goes to the expectations, what they say goes to the timeline. */
export class Watch {
  /** Settles when everything is decided, the time is over, or the run was called off. Rejects if Envoy's admin API never opened. */
  readonly decided: Promise<void>;
  /** True if the run was called off. */
  interrupted = false;
  private readonly options: WatchOptions;
  private readonly checks: Checks;
  private readonly problems: string[] = [];
  private readonly nodes = new Map<unknown, Node>();
  private readonly startedAtMs: number;
  private readonly callOffs: (() => void)[] = [];
  private decide: () => void = () => undefined;
  private fail: (error: unknown) => void = () => undefined;
  private decidedAtMs: number | undefined;
  private client: AdminClient | undefined;
  private prober: Prober | undefined;
  private lastState: string | undefined;
  private started = false;
  private stopped = false;

  constructor(options: WatchOptions) {
    const { scenario, istiod, clock, variant, envoyVersion, attached, signal } = options;
    this.options = options;
    this.startedAtMs = istiod.nowMs;
    this.decided = new Promise((resolve, reject) => {
      this.decide = resolve;
      this.fail = reject;
    });
    this.decided.catch(() => undefined);
    this.checks = new Checks(scenario.expectations, {
      variant,
      envoyVersion,
      sentence: expectationSentence,
      nodeOf: (event) => this.nodeOf(event),
    });
    for (const event of istiod.events) this.see(event);
    this.callOffs.push(istiod.on((event) => this.see(event)));
    if (attached) this.tell(this.checks.logUnreadable('the log of an Envoy that was not started by this run cannot be read', this.nowMs));
    const callOffTick = { current: (): void => undefined };
    const tick = (): void => {
      callOffTick.current = clock.after(tickMs, tick);
      this.tick();
    };
    callOffTick.current = clock.after(tickMs, tick);
    this.callOffs.push(() => callOffTick.current());
    const abort = (): void => this.callOff();
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort, { once: true });
    this.callOffs.push(() => signal?.removeEventListener('abort', abort));
  }

  /** Envoy's admin API, once it has opened. */
  get admin(): AdminClient | undefined {
    return this.client;
  }

  /** Takes a line of Envoy's log. */
  readonly onLog = (line: string): void => {
    if (this.stopped) return;
    this.options.keeper?.line(line);
    const parsed = parseEnvoyLogLine(line);
    if (parsed && ['warning', 'error', 'critical'].includes(parsed.level))
      this.options.istiod.report({ event: 'envoy.logged', level: parsed.level, text: parsed.text });
    this.tell(this.checks.line(parsed?.text ?? line, this.nowMs));
  };

  /** Begins to look at Envoy. */
  follow(proxy: Proxy): void {
    const { istiod, envoyVersion, onReady } = this.options;
    void proxy.startup.then((startup) => {
      if (this.stopped || startup.kind === 'exited') return;
      if (startup.kind === 'timed-out') return this.fail(startup.error);
      const { admin } = startup;
      this.client = admin;
      const pid = proxy.pid === undefined ? {} : { pid: proxy.pid };
      istiod.report({ event: 'envoy.started', version: envoyVersion, ...pid, admin: admin.url });
      onReady?.({
        adminUrl: admin.url,
        xdsAddress: istiod.xdsAddress,
        ...(proxy.pid === undefined ? {} : { envoyPid: proxy.pid }),
      });
      this.options.keeper?.follow(admin);
      this.prober = startProber({
        admin,
        clock: this.options.clock,
        nowMs: () => this.nowMs,
        needs: () => this.checks.needs,
        onSample: (sample) => this.sample(sample),
        onMute: (reason) => this.lose(reason),
      });
    });
    void proxy.exited.then((exit) => this.exited(exit, proxy.exitReason()));
  }

  /** Ends watching. Whatever happens from now on is not part of the run. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const callOff of this.callOffs.splice(0)) callOff();
    this.decide();
    await this.prober?.stop();
  }

  /** What came out of it, once it is decided. */
  result(scenario: Scenario, proxy: Proxy): RunResult {
    const { istiod, variant, envoyVersion } = this.options;
    const expectations = this.checks.reports.map(({ status, atMs, ...report }) => ({
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
      ...(proxy.exit ? { envoyExit: proxy.exit } : {}),
    };
  }

  private get nowMs(): number {
    return this.options.istiod.nowMs;
  }

  private see(event: TimelineEvent): void {
    if (event.event === 'moment.marked' && event.moment === 'start') this.started = true;
    this.rememberNode(event);
    this.options.keeper?.event(event);
    if (event.event === 'request.received' || event.event === 'response.sent') this.prober?.hurry();
    this.options.onEvent?.(event);
    this.tell(this.checks.event(event));
  }

  private sample(sample: Sample): void {
    if (this.stopped) return;
    // A step that the state lets loose fires a microtask later: this sample was over before the moment that the step marks.
    if (sample.state !== undefined && sample.state !== this.lastState) {
      this.lastState = sample.state;
      this.options.istiod.report({ event: 'envoy.state-reached', state: sample.state });
    }
    this.options.istiod.inOrder(sample.finishedAtMs, () => {
      if (!this.stopped) this.tell(this.checks.sample(sample));
    });
  }

  private tick(): void {
    const { istiod, timeoutMs, scenario } = this.options;
    const { nowMs } = istiod;
    istiod.inOrder(nowMs, () => {
      if (this.stopped) return;
      this.tell(this.checks.tick(nowMs));
      const limitMs = timeoutMs ?? scenario.timeoutMs;
      if (nowMs - this.startedAtMs >= limitMs) this.close(`the ${durationText(limitMs)} of the run were over`);
    });
  }

  private exited(exit: EnvoyExit, reason: string): void {
    if (this.stopped) return;
    const { istiod, clock } = this.options;
    const code = exit.code === null ? {} : { code: exit.code };
    istiod.report({ event: 'envoy.exited', ...code, ...(exit.signal ? { signal: exit.signal } : {}) });
    if (this.checks.expectsExit) return this.tell(this.checks.envoyGone(reason, this.nowMs));
    this.lose(reason);
    this.callOffs.push(clock.after(afterExitMs, () => this.close(reason)));
  }

  /** Envoy cannot be looked at any more, and nobody expected that. */
  private lose(reason: string): void {
    if (this.decidedAtMs === undefined) this.problems.push(reason);
    this.tell(this.checks.envoyGone(reason, this.nowMs));
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
    if (this.started && this.decidedAtMs === undefined && this.checks.settled && this.options.istiod.neverFired.length === 0)
      this.close('the run was over');
  }

  /** The run is over. `why` is for what is still undecided; without one it stays undecided. */
  private close(why: string | undefined): void {
    if (this.decidedAtMs !== undefined) return;
    this.decidedAtMs = this.nowMs;
    if (why !== undefined) this.tell(this.checks.end(why, this.nowMs));
    this.decide();
  }

  private nodeOf(event: ScriptInput): Node | undefined {
    return 'stream' in event ? this.nodes.get(event.stream) : undefined;
  }

  private rememberNode(event: TimelineEvent): void {
    if (!('stream' in event) || this.nodes.has(event.stream)) return;
    const node = this.options.istiod.nodeOf(event.stream);
    if (node) this.nodes.set(event.stream, node);
  }
}

/** Begins to watch; events of before are seen too. */
export function watchRun(options: WatchOptions): Watch {
  return new Watch(options);
}
