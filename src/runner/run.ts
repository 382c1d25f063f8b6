import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { rewriteXdsAddress } from '../envoy/index.ts';
import type { Bootstrap } from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';
import type { Variant } from '../protocol/request.ts';
import type { BootstrapWish, Scenario, ServerScript, Step } from '../script/scenario.ts';
import { MomentKeeper } from './moments.ts';
import type { IstiodSide } from './istiod-side.ts';
import { attachProxy, openProxy } from './proxy.ts';
import type { Proxy } from './proxy.ts';
import { collectReport, makeReportDir } from './report.ts';
import { startIstiods, type RunIstiods } from './run-istiods.ts';
import type { RunOptions, RunningSides } from './run-options.ts';
import type { RunResult } from './run-result.ts';
import { writeRunReport } from './run-report.ts';
import { watchRun } from './watch.ts';
import type { Watch } from './watch.ts';
import type { WatchedEnvoy } from './watched-envoy.ts';

/**
 * One run: fake istiod from the scenario, a real Envoy (or several of each, as the scenario wants), and the scenario's expectations on both. Everything is stopped in the end, whatever
 * happens. What went against the expectations is in the result; errors are only for what kept the run from taking place: `envoy.start-failed`,
 * `envoy.unreachable`, `bootstrap.invalid`, `port.in-use`, `output.unwritable` and the like.
 */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<RunResult> {
  const clock = options.clock ?? systemClock;
  refuseOneForSeveral(scenario, options);
  const forVariant = ofVariant(scenario, options.variant);
  await makeReportDir(options.reportDir);
  const attached = 'attach' in options.envoy ? await attachProxy(options.envoy.attach, clock) : undefined;
  const envoyVersion = attached?.version ?? ('version' in options.envoy ? options.envoy.version : '');
  const istiods = await startIstiods(forVariant, { port: options.port ?? 0, clock, pki: options.pki });
  const { side } = istiods;
  const seats = seatsOf(scenario).map((envoy) => ({ ...envoy, keeper: keeperFor(options, clock, side) }));
  const watch = watchRun({
    scenario: forVariant,
    istiod: side,
    clock,
    variant: options.variant,
    envoyVersion,
    envoys: seats.map(({ name, keeper }) => ({
      ...(name === undefined ? {} : { name }),
      attached: attached !== undefined,
      ...(keeper ? { keeper } : {}),
    })),
    ...picked(options),
  });
  const proxies: Proxy[] = [];
  try {
    const bootstraps = seats.map((envoy) => bootstrapOf(istiods, envoy, options));
    side.mark('start');
    for (const [i, envoy] of watch.envoys.entries()) {
      const proxy = attached ?? (await launch(scenario, seats[i] as Seat, bootstraps[i] as Bootstrap, { envoy, options, clock }));
      proxies.push(proxy);
      envoy.follow(proxy);
    }
    await watch.decided;
    if (options.hold && !watch.interrupted) await heldOpen(options.hold(sidesOf(side, watch, proxies)), options.signal);
    const result = watch.result(scenario, proxies);
    if (options.reportDir === undefined) return result;
    return await reported({ ...result, reportDir: options.reportDir }, { seats, bootstraps: attached ? [] : bootstraps, watch, proxies });
  } finally {
    await stopAll([
      ...seats.map(
        ({ keeper }) =>
          () =>
            keeper?.stop(),
      ),
      () => watch.stop(),
      ...proxies.map((proxy) => () => proxy.stop()),
      () => istiods.stop(),
    ]);
  }
}

interface Finished {
  readonly seats: readonly (Seat & { readonly keeper: MomentKeeper | undefined })[];
  /** Empty for an Envoy of somebody else. */
  readonly bootstraps: readonly Bootstrap[];
  readonly watch: Watch;
  readonly proxies: readonly Proxy[];
}

/** The result, once its report is written. Stops the Envoys for it. */
async function reported(
  result: RunResult & { readonly reportDir: string },
  { seats, bootstraps, watch, proxies }: Finished,
): Promise<RunResult> {
  for (const { keeper } of seats) await keeper?.stop();
  const goneOf = (proxy: Proxy | undefined): string | undefined => (proxy?.exit ? proxy.exitReason() : undefined);
  const live = await Promise.all(watch.envoys.map(({ admin }, i) => collectReport(admin, goneOf(proxies[i]))));
  // Stopped before the rest is written: only then is Envoy's log complete.
  await watch.stop();
  for (const proxy of proxies) await proxy.stop();
  const envoys = seats.map(({ name, keeper }, i) => ({
    ...(name === undefined ? {} : { name }),
    bootstrap: bootstraps[i],
    live: live[i] ?? new Map(),
    hasLog: bootstraps.length > 0,
    moments: keeper?.moments ?? [],
  }));
  await writeRunReport(result.reportDir, result, envoys);
  return result;
}

/** One of the Envoys that a scenario wants; without a name it is the only one. */
interface Seat {
  readonly name?: string;
  readonly bootstrap: BootstrapWish;
  readonly args: readonly string[];
}

function seatsOf({ envoys, bootstrap }: Scenario): readonly Seat[] {
  return envoys ?? [{ bootstrap, args: [] }];
}

function keeperFor({ reportDir }: RunOptions, clock: Clock, side: IstiodSide): MomentKeeper | undefined {
  return reportDir === undefined ? undefined : new MomentKeeper({ clock, nowMs: () => side.nowMs });
}

/** An Envoy or a bootstrap of the user's own is one. */
function refuseOneForSeveral({ name, envoys, istiods }: Scenario, { envoy, bootstrap }: RunOptions): void {
  const given = 'attach' in envoy ? 'an Envoy that runs already' : bootstrap ? 'a bootstrap of your own' : undefined;
  if (given === undefined || (!envoys && !istiods)) return;
  const several = envoys ? `${envoys.length} Envoys with names` : `${istiods?.length} istiods`;
  throw new FakeIstiodError('usage.invalid', `${given} goes with one Envoy and one istiod, and the scenario ${name} has ${several}`, {
    remedy: envoys && !istiods ? 'Leave it out, or watch them with fake-istiod ctl verify' : 'Leave it out',
  });
}

/** Steps of the other variant are not part of the run; which expectations are is theirs to say. */
function ofVariant(scenario: Scenario, variant: Variant): Scenario {
  const meant = ({ steps }: ServerScript): readonly Step[] =>
    steps.filter((step) => step.variant === undefined || step.variant === variant);
  const istiods = scenario.istiods?.map((istiod) => ({ ...istiod, steps: meant(istiod) }));
  return { ...scenario, steps: meant(scenario), ...(istiods ? { istiods } : {}) };
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

function bootstrapOf(istiods: RunIstiods, { name, bootstrap: wish }: Seat, { bootstrap, variant, shape }: RunOptions): Bootstrap {
  const { istiod, standby } = istiods.askedBy(wish);
  if (bootstrap) return rewriteXdsAddress(bootstrap, { host: istiod.host, port: istiod.port });
  return istiod.bootstrap({
    variant,
    admin: { port: 0 },
    ...(name === undefined ? {} : { envoy: name }),
    ...(standby.length > 0 ? { standby } : {}),
    ...(shape ? { shape } : {}),
  });
}

interface Launching {
  readonly envoy: WatchedEnvoy;
  readonly options: RunOptions;
  readonly clock: Clock;
}

async function launch(scenario: Scenario, seat: Seat, bootstrap: Bootstrap, { envoy, options, clock }: Launching): Promise<Proxy> {
  if ('attach' in options.envoy) throw new FakeIstiodError('internal', 'an Envoy to attach to cannot be launched');
  const args = [...scenario.envoy.args, ...seat.args, ...(options.envoyArgs ?? [])];
  const folder = options.reportDir === undefined ? undefined : join(options.reportDir, seat.name ?? '');
  await makeReportDir(folder);
  const logFile = folder === undefined ? undefined : join(folder, 'envoy.log');
  return openProxy(options.envoy, { bootstrap, args, clock, onLog: envoy.onLog, logFile, env: options.env });
}

function sidesOf(side: IstiodSide, watch: Watch, proxies: readonly Proxy[]): RunningSides {
  const [first] = watch.envoys;
  const pid = proxies[0]?.pid;
  const admins = watch.envoys.flatMap(({ name, admin }) => (name !== undefined && admin ? [{ envoy: name, adminUrl: admin.url }] : []));
  return {
    xdsAddress: side.xdsAddress,
    ...(first?.admin ? { adminUrl: first.admin.url } : {}),
    ...(pid === undefined ? {} : { envoyPid: pid }),
    ...(admins.length > 0 ? { admins } : {}),
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
