import { systemClock } from '../clock.ts';
import { startEnvoy, type BootstrapOptions, type EnvoyProcess, type StartEnvoyOptions } from '../envoy/index.ts';
import { startFakeIstiod, type FakeIstiod, type FakeIstiodOptions } from '../index.ts';
import { reportLogLine, witnessEnvoy } from './envoy-witness.ts';
import { belongsTo } from './subject.ts';

/** How an Envoy of a test bed is started; its bootstrap is the fake istiod's. */
export interface TestEnvoyOptions extends Omit<StartEnvoyOptions, 'bootstrap'> {
  /** What differs in the bootstrap (`variant`, `node`, `tls` …); a function is given the fake istiod, for certificates and tokens of it. */
  readonly bootstrap?: BootstrapOptions | ((istiod: FakeIstiod) => BootstrapOptions | Promise<BootstrapOptions>);
}

/** How a test bed is set up: all that `startFakeIstiod` takes, and how its Envoy is started. */
export interface TestBedOptions extends FakeIstiodOptions {
  readonly envoy?: TestEnvoyOptions;
  /** Called when the fake istiod listens and no Envoy has been started; what it returns is awaited: the time to withhold what the first one is to miss. */
  readonly prepare?: (istiod: FakeIstiod) => unknown;
}

/** A fake istiod and an Envoy of one test. */
export interface TestBed extends AsyncDisposable {
  readonly istiod: FakeIstiod;
  /** The Envoy that every test bed has. */
  readonly envoy: EnvoyProcess;
  /** A further Envoy at the same fake istiod. Give it a `node` of its own, or the two cannot be told apart. */
  startEnvoy(options?: TestEnvoyOptions): Promise<EnvoyProcess>;
  /** Stops every Envoy, then the fake istiod. May be called any number of times. */
  stop(): Promise<void>;
}

/** Stops what was started, the last first; all of it, also where one fails. Then the first failure is thrown. */
export class Disposer {
  private readonly tasks: (() => Promise<void>)[] = [];
  private stopping: Promise<void> | undefined;

  add(task: () => Promise<void>): void {
    this.tasks.push(task);
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const task of this.tasks.reverse()) await task().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

/** Starts an Envoy at a fake istiod; what it does goes into the timeline, and matchers know whose it is. `disposer` stops it. */
export async function startEnvoyAt(istiod: FakeIstiod, options: TestEnvoyOptions, disposer: Disposer): Promise<EnvoyProcess> {
  const { bootstrap = {}, onLog, ...rest } = options;
  const wished = typeof bootstrap === 'function' ? await bootstrap(istiod) : bootstrap;
  let over = false;
  const log = (line: string): void => {
    if (!over) reportLogLine(istiod, line);
    onLog?.(line);
  };
  const envoy = await startEnvoy({ ...rest, bootstrap: istiod.bootstrap(wished), onLog: log });
  belongsTo(envoy, istiod);
  const endWitness = witnessEnvoy(envoy, istiod, options.clock ?? systemClock);
  disposer.add(async () => {
    over = true;
    await endWitness();
    await envoy.stop();
  });
  return envoy;
}

/** Starts the fake istiod of a test bed and prepares it. Where that fails nothing is left running. */
export async function startPrepared({ envoy: _, prepare, ...options }: TestBedOptions): Promise<FakeIstiod> {
  const istiod = await startFakeIstiod(options);
  try {
    await prepare?.(istiod);
    return istiod;
  } catch (error) {
    await istiod.stop();
    throw error;
  }
}

/** Starts a fake istiod and an Envoy at it, for one test. Errors: those of `startFakeIstiod` and `startEnvoy`; then nothing is left running. */
export async function startTestBed(options: TestBedOptions = {}): Promise<TestBed> {
  const istiod = await startPrepared(options);
  const disposer = new Disposer();
  disposer.add(() => istiod.stop());
  try {
    const envoy = await startEnvoyAt(istiod, options.envoy ?? {}, disposer);
    return {
      istiod,
      envoy,
      startEnvoy: (more = {}) => startEnvoyAt(istiod, { ...options.envoy, ...more }, disposer),
      stop: () => disposer.stop(),
      [Symbol.asyncDispose]: () => disposer.stop(),
    };
  } catch (error) {
    await disposer.stop().catch(() => undefined);
    throw error;
  }
}
