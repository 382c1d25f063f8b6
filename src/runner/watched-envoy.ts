import type { Clock } from '../clock.ts';
import type { AdminClient, EnvoyExit } from '../envoy/index.ts';
import { parseEnvoyLogLine } from '../envoy/index.ts';
import type { CheckReport, Checks } from '../observe/expectations.ts';
import type { Sample } from '../observe/sample.ts';
import type { IstiodSide } from './istiod-side.ts';
import type { MomentKeeper } from './moments.ts';
import { startProber } from './prober.ts';
import type { Prober } from './prober.ts';
import type { Proxy } from './proxy.ts';
import type { RunningSides } from './run-options.ts';

/** An Envoy that is to be watched. */
export interface EnvoyToWatch {
  /** Of several Envoys; left out: it is the only one. */
  readonly name?: string;
  /** It is not ours: neither its log nor its end can be seen. */
  readonly attached: boolean;
  /** Keeps what a report has of the moments of a run. */
  readonly keeper?: MomentKeeper;
}

/** What watching one Envoy takes of the watch over the whole run. */
export interface EnvoySurroundings {
  readonly istiod: IstiodSide;
  readonly clock: Clock;
  readonly envoyVersion: string;
  readonly isOver: () => boolean;
  /** Takes what was decided. */
  readonly tell: (reports: readonly CheckReport[]) => void;
  /** Its admin API never opened. */
  readonly fail: (error: unknown) => void;
  /** It ended. */
  readonly onExit: (exit: EnvoyExit, reason: string) => void;
  /** It cannot be looked at any more. */
  readonly onMute: (reason: string) => void;
  readonly onReady: ((sides: RunningSides) => void) | undefined;
}

/** Follows one Envoy of a run: its log, its state, its end. */
export class WatchedEnvoy {
  readonly name: string | undefined;
  /** The expectations that are about it. */
  readonly checks: Checks;
  private readonly seat: EnvoyToWatch;
  private readonly around: EnvoySurroundings;
  private client: AdminClient | undefined;
  private prober: Prober | undefined;
  private lastState: string | undefined;

  constructor(seat: EnvoyToWatch, checks: Checks, around: EnvoySurroundings) {
    this.name = seat.name;
    this.seat = seat;
    this.checks = checks;
    this.around = around;
  }

  /** Its admin API, once it has opened. */
  get admin(): AdminClient | undefined {
    return this.client;
  }

  get keeper(): MomentKeeper | undefined {
    return this.seat.keeper;
  }

  /** What every event about it says. */
  get facts(): { readonly envoy?: string } {
    return this.name === undefined ? {} : { envoy: this.name };
  }

  /** As a person calls it. */
  get title(): string {
    return this.name === undefined ? 'Envoy' : `Envoy ${this.name}`;
  }

  /** Takes a line of its log. */
  readonly onLog = (line: string): void => {
    const { istiod, isOver, tell } = this.around;
    if (isOver()) return;
    this.keeper?.line(line);
    const parsed = parseEnvoyLogLine(line);
    if (parsed && ['warning', 'error', 'critical'].includes(parsed.level))
      istiod.report({ event: 'envoy.logged', ...this.facts, level: parsed.level, text: parsed.text });
    tell(this.checks.line(parsed?.text ?? line, istiod.nowMs));
  };

  /** Begins to look at it. */
  follow(proxy: Proxy): void {
    const { istiod, clock, envoyVersion, isOver, fail, onExit, onMute, onReady } = this.around;
    void proxy.startup.then((startup) => {
      if (isOver() || startup.kind === 'exited') return;
      if (startup.kind === 'timed-out') return fail(startup.error);
      const { admin } = startup;
      this.client = admin;
      const pid = proxy.pid === undefined ? {} : { pid: proxy.pid };
      istiod.report({ event: 'envoy.started', ...this.facts, version: envoyVersion, ...pid, admin: admin.url });
      onReady?.({
        ...this.facts,
        adminUrl: admin.url,
        xdsAddress: istiod.xdsAddress,
        ...(proxy.pid === undefined ? {} : { envoyPid: proxy.pid }),
      });
      this.keeper?.follow(admin);
      this.prober = startProber({
        admin,
        clock,
        nowMs: () => istiod.nowMs,
        needs: () => this.checks.needs,
        onSample: (sample) => this.sample(sample),
        onMute,
      });
    });
    void proxy.exited.then((exit) => onExit(exit, this.named(proxy.exitReason())));
  }

  /** Something happened that may change it: looks often for a while. */
  hurry(): void {
    this.prober?.hurry();
  }

  async stop(): Promise<void> {
    await this.prober?.stop();
  }

  /** `Envoy exited …`, with its name where it has one. */
  named(reason: string): string {
    return this.name === undefined ? reason : reason.replace(/^Envoy/, this.title);
  }

  private sample(sample: Sample): void {
    const { istiod, isOver, tell } = this.around;
    if (isOver()) return;
    // A step that the state lets loose fires a microtask later: this sample was over before the moment that the step marks.
    if (sample.state !== undefined && sample.state !== this.lastState) {
      this.lastState = sample.state;
      istiod.report({ event: 'envoy.state-reached', ...this.facts, state: sample.state });
    }
    istiod.inOrder(sample.finishedAtMs, () => {
      if (!isOver()) tell(this.checks.sample(sample));
    });
  }
}
