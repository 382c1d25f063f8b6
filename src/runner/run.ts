import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { rewriteXdsAddress } from '../envoy/index.ts';
import type { Bootstrap } from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';
import { startFakeIstiod } from '../index.ts';
import type { FakeIstiod, FakeIstiodOptions, PkiFolder } from '../index.ts';
import type { Variant } from '../protocol/request.ts';
import type { Scenario } from '../script/scenario.ts';
import { MomentKeeper } from './moments.ts';
import { localSide } from './istiod-side.ts';
import { attachProxy, openProxy } from './proxy.ts';
import type { Proxy } from './proxy.ts';
import { collectReport, makeReportDir, writeReport } from './report.ts';
import type { RunOptions, RunningSides } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import { watchRun } from './watch.ts';
import type { Watch } from './watch.ts';

/**
 * One run: fake istiod from the scenario, a real Envoy, and the scenario's expectations on both. Everything is stopped in the end, whatever
 * happens. What went against the expectations is in the result; errors are only for what kept the run from taking place: `envoy.start-failed`,
 * `envoy.unreachable`, `bootstrap.invalid`, `port.in-use`, `output.unwritable` and the like.
 */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<RunResult> {
  const clock = options.clock ?? systemClock;
  const forVariant = ofVariant(scenario, options.variant);
  await makeReportDir(options.reportDir);
  const attached = 'attach' in options.envoy ? await attachProxy(options.envoy.attach, clock) : undefined;
  const envoyVersion = attached?.version ?? ('version' in options.envoy ? options.envoy.version : '');
  const istiod = await startFakeIstiod({ scenario: forVariant, port: options.port ?? 0, clock, ...kept(scenario, options.pki) });
  const keeper = options.reportDir === undefined ? undefined : new MomentKeeper({ clock, nowMs: () => istiod.timeline.nowMs });
  const watch = watchRun({
    scenario: forVariant,
    istiod: localSide(istiod),
    clock,
    variant: options.variant,
    envoyVersion,
    attached: attached !== undefined,
    ...picked(options),
    ...(keeper ? { keeper } : {}),
  });
  let proxy: Proxy | undefined;
  try {
    const bootstrap = bootstrapOf(istiod, options);
    istiod.mark('start');
    proxy = attached ?? (await launch(scenario, bootstrap, watch, options, clock));
    watch.follow(proxy);
    await watch.decided;
    const sides = sidesOf(istiod, watch, proxy);
    if (options.hold && !watch.interrupted) await heldOpen(options.hold(sides), options.signal);
    const result = watch.result(scenario, proxy);
    if (options.reportDir === undefined) return result;
    await keeper?.stop();
    const live = await collectReport(watch.admin, result.envoyExit ? proxy.exitReason() : undefined);
    // Stopped before the rest is written: only then is Envoy's log complete.
    await watch.stop();
    await proxy.stop();
    const reported = { ...result, reportDir: options.reportDir };
    await writeReport(options.reportDir, {
      result: reported,
      bootstrap: attached ? undefined : bootstrap,
      live,
      hasLog: !attached,
      moments: keeper?.moments ?? [],
    });
    return reported;
  } finally {
    await stopAll([() => keeper?.stop(), () => watch.stop(), () => proxy?.stop(), () => istiod.stop()]);
  }
}

/** A kept authority alone does not switch the authenticators on, as it does for `serve`: a scenario says itself what it is about. */
function kept({ identity }: Scenario, pki: PkiFolder | undefined): Pick<FakeIstiodOptions, 'pki' | 'auth'> {
  if (!pki) return {};
  return identity?.some(({ kind }) => kind === 'auth') ? { pki } : { pki, auth: false };
}

/** Steps of the other variant are not part of the run; which expectations are is theirs to say. */
function ofVariant(scenario: Scenario, variant: Variant): Scenario {
  return { ...scenario, steps: scenario.steps.filter((step) => step.variant === undefined || step.variant === variant) };
}

type WatchedOptions = Pick<RunOptions, 'onEvent' | 'onReady' | 'signal' | 'timeoutMs'>;

function picked({ onEvent, onReady, signal, timeoutMs }: RunOptions): WatchedOptions {
  return {
    ...(onEvent ? { onEvent } : {}),
    ...(onReady ? { onReady } : {}),
    ...(signal ? { signal } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function bootstrapOf(istiod: FakeIstiod, { bootstrap, variant, shape }: RunOptions): Bootstrap {
  if (bootstrap) return rewriteXdsAddress(bootstrap, { host: istiod.host, port: istiod.port });
  return istiod.bootstrap({ variant, admin: { port: 0 }, ...(shape ? { shape } : {}) });
}

function launch(scenario: Scenario, bootstrap: Bootstrap, watch: Watch, options: RunOptions, clock: Clock): Promise<Proxy> {
  if ('attach' in options.envoy) throw new FakeIstiodError('internal', 'an Envoy to attach to cannot be launched');
  const args = [...scenario.envoy.args, ...(options.envoyArgs ?? [])];
  const logFile = options.reportDir === undefined ? undefined : join(options.reportDir, 'envoy.log');
  return openProxy(options.envoy, { bootstrap, args, clock, onLog: watch.onLog, logFile, env: options.env });
}

function sidesOf(istiod: FakeIstiod, watch: Watch, proxy: Proxy): RunningSides {
  return {
    xdsAddress: `${istiod.host}:${istiod.port}`,
    ...(watch.admin ? { adminUrl: watch.admin.url } : {}),
    ...(proxy.pid === undefined ? {} : { envoyPid: proxy.pid }),
  };
}

/** The run stays up until whoever holds it lets go, or it is called off. */
async function heldOpen(hold: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return hold;
  await new Promise<void>((resolve, reject) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    hold.then(resolve, reject);
  });
}

/** Stops one after the other; one that cannot be stopped does not keep the others up. */
async function stopAll(stops: readonly (() => Promise<void> | undefined)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of stops) await stop()?.catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
