import type { Readable } from 'node:stream';
import { AbstractStartedContainer, GenericContainer, type StartedTestContainer } from 'testcontainers';
import { systemClock } from '../clock.ts';
import { adminClient, type AdminClient, type Bootstrap, type BootstrapOptions, type EnvoyEvent } from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';
import type { FakeIstiod } from '../index.ts';
import { reportLogLine, witnessEnvoy } from '../testing/envoy-witness.ts';
import { belongsTo, type HasTimeline } from '../testing/subject.ts';
import { lastEventsText } from '../observe/wait.ts';
import { ContainerLog } from './container-log.ts';
import { StartedFakeIstiodContainer } from './fake-istiod-container.ts';
import { defaultEnvoyImage, envoyAdminPort } from './image.ts';
import { NotedWait } from './noted-wait.ts';
import { reachedFromContainer } from './reach.ts';
import { startFailure } from './start-failure.ts';
import { forAdmin, hostInUrl } from './state-wait.ts';

/** Where Envoy finds its bootstrap in the container. */
const bootstrapPath = '/fake-istiod/bootstrap.json';
/** Envoy in a container listens for its admin API on all of the container's addresses. */
const admin = { host: '0.0.0.0', port: envoyAdminPort } as const;

/** A fake istiod in this process, or in a container. */
export type AnyIstiod = FakeIstiod | StartedFakeIstiodContainer;

/**
 * A real Envoy in a container, of the official image: `new EnvoyContainer().withIstiod(istiod).start()`. It is up when its admin API answers,
 * unless a wait strategy says otherwise (`forServerState`, `forStuckIn`).
 */
export class EnvoyContainer extends GenericContainer {
  private readonly log: ContainerLog;
  private readonly image: string;
  private istiod: AnyIstiod | undefined;
  private wished: BootstrapOptions | Bootstrap = {};
  private whole = false;
  private consumer: ((stream: Readable) => unknown) | undefined;
  private createdId: string | undefined;
  private onLine: (line: string) => void = () => undefined;

  constructor(image: string = defaultEnvoyImage) {
    super(image);
    this.image = image;
    this.log = new ContainerLog((line) => this.onLine(line));
    super.withLogConsumer((stream) => {
      this.log.follow(stream);
      this.consumer?.(stream);
    });
    this.withEntrypoint(['envoy'])
      .withCommand(['-c', bootstrapPath, '--log-level', 'warning', '--component-log-level', 'config:debug,upstream:info'])
      .withExposedPorts(envoyAdminPort)
      .withWaitStrategy(forAdmin());
  }

  /**
   * Connects it to a fake istiod: one in a container by its name on the network that both share, or by its published port; one in this process
   * by the host's address, for which it has to listen on more than loopback (`bind: ['0.0.0.0']`).
   */
  withIstiod(istiod: AnyIstiod, options: BootstrapOptions = {}): this {
    this.istiod = istiod;
    this.wished = options;
    this.whole = false;
    return this;
  }

  /** Takes a whole bootstrap as it is. Its admin API has to listen on 0.0.0.0, port 9901, or the wait strategy has to know where. */
  withBootstrap(bootstrap: Bootstrap): this {
    this.wished = bootstrap;
    this.whole = true;
    return this;
  }

  /** Told the container's output, beside what is kept of it. */
  override withLogConsumer(consumer: (stream: Readable) => unknown): this {
    this.consumer = consumer;
    return this;
  }

  /**
   * Errors: `docker.unavailable`, `image.not-found`, and what Envoy did instead of coming up, with the end of its log and the fake istiod's
   * last events.
   */
  override async start(): Promise<StartedEnvoyContainer> {
    const { istiod } = this;
    if (istiod) this.onLine = (line) => reportLogLine(istiod, line);
    const { waitStrategy } = this;
    const wait = new NotedWait(waitStrategy, this.log, () => istiod && lastEventsText(istiod.timeline));
    this.withWaitStrategy(wait);
    try {
      const bootstrap = await this.bootstrapOf();
      this.withCopyContentToContainer([{ content: JSON.stringify(bootstrap, undefined, 2), target: bootstrapPath }]);
      return await StartedEnvoyContainer.of(await super.start(), this.log, istiod);
    } catch (error) {
      throw await startFailure(error, {
        name: 'Envoy',
        image: this.image,
        id: this.createdId,
        log: this.log,
        noted: wait.noted,
        imageRemedy: `Try \`docker pull ${this.image}\`, or name another: new EnvoyContainer(image)`,
      });
    } finally {
      this.createdId = undefined;
      this.withWaitStrategy(waitStrategy);
    }
  }

  protected override containerCreated(containerId: string): Promise<void> {
    this.createdId = containerId;
    return Promise.resolve();
  }

  private async bootstrapOf(): Promise<Bootstrap> {
    if (this.whole) return this.wished as Bootstrap;
    const { istiod } = this;
    if (!istiod) {
      throw new FakeIstiodError('options.invalid', 'this EnvoyContainer has no control plane', {
        remedy: 'Call withIstiod(istiod), or withBootstrap(bootstrap)',
      });
    }
    const wished: BootstrapOptions = { admin, ...this.wished };
    if (istiod instanceof StartedFakeIstiodContainer) {
      const { host, port, network, extraHosts } = istiod.addressFor(this.networkMode);
      if (network !== undefined) this.networkMode = network;
      if (extraHosts) this.withExtraHosts([...extraHosts]);
      return istiod.bootstrap({ host, port, ...wished });
    }
    const { host, port, extraHosts } = reachedFromContainer(istiod);
    this.withExtraHosts([...extraHosts]);
    return istiod.bootstrap({ host, port, ...wished });
  }
}

/** An Envoy that runs in a container and whose admin API answers. */
export class StartedEnvoyContainer extends AbstractStartedContainer {
  readonly admin: AdminClient;
  /** `node.id`, as Envoy itself says. */
  readonly nodeId: string;
  /** E.g. `1.40.0`. */
  readonly version: string;
  /** Where its admin API is reached from here. */
  readonly adminUrl: string;
  private readonly kept: ContainerLog;
  private endWitness: () => Promise<void> = () => Promise.resolve();

  private constructor(started: StartedTestContainer, client: AdminClient, facts: { nodeId: string; version: string }, log: ContainerLog) {
    super(started);
    this.admin = client;
    this.adminUrl = client.url;
    this.nodeId = facts.nodeId;
    this.version = facts.version;
    this.kept = log;
  }

  /** What a started container is, once Envoy was asked who it is. What it does goes into the timeline of `istiod`. */
  static async of(started: StartedTestContainer, log: ContainerLog, istiod: AnyIstiod | undefined): Promise<StartedEnvoyContainer> {
    const client = adminClient(`http://${hostInUrl(started.getHost())}:${started.getMappedPort(envoyAdminPort)}`);
    const container = new StartedEnvoyContainer(started, client, await client.serverInfo(), log);
    if (istiod) container.witnessedBy(istiod);
    return container;
  }

  /** The newest lines of its log (at most 5000), oldest first. Grows. */
  get log(): readonly string[] {
    return this.kept.lines;
  }

  /** Where a listener is reached from here, whose port was exposed: `withExposedPorts(10000)`, then `url(10000)`. */
  url(port: number): string {
    return `http://${hostInUrl(this.getHost())}:${this.getMappedPort(port)}`;
  }

  protected override async containerStopping(): Promise<void> {
    await this.endWitness();
  }

  private witnessedBy(istiod: HasTimeline & { report(event: EnvoyEvent): void }): void {
    belongsTo(this, istiod);
    this.endWitness = witnessEnvoy({ admin: this.admin, version: this.version }, istiod, systemClock);
  }
}
