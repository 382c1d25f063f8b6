import { makeWorkDir } from '../envoy/work-dir.ts';
import type { Clock } from '../clock.ts';
import { openPki, startFakeIstiod } from '../index.ts';
import type { FakeIstiod, FakeIstiodOptions, PkiFolder } from '../index.ts';
import { wantsCredentials } from '../script/bootstrap-wish.ts';
import type { BootstrapWish, Scenario, ScenarioIstiod } from '../script/scenario.ts';
import { localSide, type IstiodSide } from './istiod-side.ts';
import { SeveralIstiods, type NamedIstiod } from './several-istiods.ts';

/** The istiods of a run. */
export interface RunIstiods {
  readonly side: IstiodSide;
  /** The istiod that an Envoy with these wishes asks, and where the others are that it asks after that. */
  askedBy(wish: BootstrapWish): {
    readonly istiod: FakeIstiod;
    readonly standby: readonly { readonly host: string; readonly port: number }[];
  };
  stop(): Promise<void>;
}

export interface RunIstiodsOptions {
  readonly port: number;
  readonly clock: Clock;
  readonly pki: PkiFolder | undefined;
}

/** Starts the istiod of a scenario, or all of them. Errors as `startFakeIstiod`. */
export async function startIstiods(scenario: Scenario, options: RunIstiodsOptions): Promise<RunIstiods> {
  const { istiods } = scenario;
  if (istiods && istiods.length > 0) return startSeveral(scenario, istiods, options);
  const { port, clock, pki } = options;
  const istiod = await startFakeIstiod({ scenario, port, clock, ...kept(scenario, pki) });
  return { side: localSide(istiod), askedBy: () => ({ istiod, standby: [] }), stop: () => istiod.stop() };
}

async function startSeveral(scenario: Scenario, parts: readonly ScenarioIstiod[], options: RunIstiodsOptions): Promise<RunIstiods> {
  const { port, clock } = options;
  const folder = options.pki === undefined && needsAuthority(scenario, parts) ? makeWorkDir('pki') : undefined;
  const started: NamedIstiod[] = [];
  const stop = async (): Promise<void> => {
    for (const { istiod } of started) await istiod.stop();
    await folder?.remove();
  };
  try {
    // They are of one mesh: who trusts one trusts them all.
    const pki = folder ? await openPki(folder.path, { create: true, clock }) : options.pki;
    for (const [i, { name, ...part }] of parts.entries()) {
      const own: Scenario = { ...withoutIstiods(scenario), ...part };
      started.push({ name, istiod: await startFakeIstiod({ scenario: own, port: i === 0 ? port : 0, clock, ...kept(own, pki) }) });
    }
    const [first, ...rest] = started;
    if (!first) throw new Error('several istiods are one at least');
    return { side: new SeveralIstiods([first, ...rest]), askedBy: (wish) => asked(started, wish), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function withoutIstiods({ istiods: _, identity: __, ...scenario }: Scenario): Scenario {
  return scenario;
}

function needsAuthority({ bootstrap, envoys = [] }: Scenario, parts: readonly ScenarioIstiod[]): boolean {
  return (
    [bootstrap, ...envoys.map((envoy) => envoy.bootstrap)].some(wantsCredentials) || parts.some(({ identity }) => identity !== undefined)
  );
}

function asked(all: readonly NamedIstiod[], { istiods }: BootstrapWish): ReturnType<RunIstiods['askedBy']> {
  const meant = istiods ? istiods.flatMap((name) => all.find((one) => one.name === name) ?? []) : all;
  const [first, ...rest] = meant.length > 0 ? meant : all;
  if (!first) throw new Error('several istiods are one at least');
  return { istiod: first.istiod, standby: rest.map(({ istiod: { host, port } }) => ({ host, port })) };
}

/** A kept authority alone does not switch the authenticators on, as it does for `serve`: a scenario says itself what it is about. */
function kept({ identity }: Scenario, pki: PkiFolder | undefined): Pick<FakeIstiodOptions, 'pki' | 'auth'> {
  if (!pki) return {};
  return identity?.some(({ kind }) => kind === 'auth') ? { pki } : { pki, auth: false };
}
