import { Network, type StartedNetwork, type WaitStrategy } from 'testcontainers';
import type { BootstrapOptions } from '../envoy/index.ts';
import { EnvoyContainer, type StartedEnvoyContainer } from './envoy-container.ts';
import { FakeIstiodContainer, type StartedFakeIstiodContainer } from './fake-istiod-container.ts';

export interface ContainerPairOptions {
  /** The name of a packaged scenario, or a file. Default `ready`. */
  readonly scenario?: string;
  /** Default `fake-istiod:local`. */
  readonly istiodImage?: string;
  /** Default the official Envoy that fake-istiod is tested with. */
  readonly envoyImage?: string;
  readonly bootstrap?: BootstrapOptions;
  /** What Envoy is waited for: `forServerState('LIVE')`. Default: that its admin API answers. */
  readonly waitStrategy?: WaitStrategy;
  /** Ports of Envoy's listeners to be published. */
  readonly exposedPorts?: readonly number[];
  /** Told the fake istiod before there is an Envoy: the time to withhold what it is to miss. */
  readonly prepare?: (istiod: StartedFakeIstiodContainer) => unknown;
}

/** A fake istiod and an Envoy, each in a container, on a network of their own. */
export interface ContainerPair extends AsyncDisposable {
  readonly network: StartedNetwork;
  readonly istiod: StartedFakeIstiodContainer;
  readonly envoy: StartedEnvoyContainer;
  /** Stops and removes all three. */
  stop(): Promise<void>;
}

/** Starts both together. Errors: those of the containers; then nothing is left. */
export async function startContainerPair(options: ContainerPairOptions = {}): Promise<ContainerPair> {
  const { scenario = 'ready', istiodImage, envoyImage, bootstrap, waitStrategy, exposedPorts = [], prepare } = options;
  const started: (() => Promise<unknown>)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= stopAll(started));
  try {
    const istiodContainer = new FakeIstiodContainer(istiodImage).withScenario(scenario);
    const network = await startNetwork(istiodContainer);
    started.push(() => network.stop());
    const istiod = await istiodContainer.withNetwork(network).start();
    started.push(() => istiod.stop());
    await prepare?.(istiod);
    const envoyContainer = new EnvoyContainer(envoyImage)
      .withNetwork(network)
      .withIstiod(istiod, bootstrap)
      .withExposedPorts(...exposedPorts);
    const envoy = await (waitStrategy ? envoyContainer.withWaitStrategy(waitStrategy) : envoyContainer).start();
    started.push(() => envoy.stop());
    return { network, istiod, envoy, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}

/** A network needs no image; a daemon that does not answer is told as the containers tell it. */
async function startNetwork(container: FakeIstiodContainer): Promise<StartedNetwork> {
  try {
    return await new Network().start();
  } catch (error) {
    throw await container.failure(error);
  }
}

async function stopAll(started: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of started.toReversed()) await stop().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
