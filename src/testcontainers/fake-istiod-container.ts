import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { GenericContainer, Wait, type StartedNetwork } from 'testcontainers';
import { FakeIstiodError } from '../errors.ts';
import { ContainerLog } from './container-log.ts';
import { defaultFakeIstiodImage, istiodAlias, istiodPorts } from './image.ts';
import { NotedWait } from './noted-wait.ts';
import { StartedFakeIstiodContainer } from './started-fake-istiod.ts';
import { startFailure } from './start-failure.ts';

export { StartedFakeIstiodContainer } from './started-fake-istiod.ts';

/** A folder inside the container for what is copied in. */
const copied = '/fake-istiod-copied';

/**
 * A fake istiod in a container: `new FakeIstiodContainer().withScenario('ready').start()`. It is up when its control API answers, also while its
 * scenario lets no xDS port listen.
 */
export class FakeIstiodContainer extends GenericContainer {
  private readonly log = new ContainerLog(() => undefined);
  private readonly image: string;
  private token: string = randomUUID();
  private inputs: readonly string[] = ['ready'];
  private readonly flags: string[] = [];
  private consumer: ((stream: Readable) => unknown) | undefined;
  private createdId: string | undefined;
  private wait: NotedWait | undefined;

  constructor(image: string = defaultFakeIstiodImage) {
    super(image);
    this.image = image;
    super.withLogConsumer((stream) => {
      this.log.follow(stream);
      this.consumer?.(stream);
    });
    this.withExposedPorts(istiodPorts.xds, istiodPorts.plaintext, istiodPorts.control);
  }

  /** The name of a packaged scenario, or a file of this machine, which is copied in. Default `ready`. Error `scenario.not-found` for a path without a file. */
  withScenario(scenario: string): this {
    this.inputs = [this.isFile(scenario) ? this.copyIn(scenario) : scenario];
    return this;
  }

  /** Files of this machine with resources, a scenario or a config_dump: what `serve` takes. */
  withFiles(...files: readonly string[]): this {
    this.inputs = files.map((file) => this.copyIn(file));
    return this;
  }

  /**
   * The authority and the token key of a PKI folder of this machine (`openPki`), copied in. Who connects then has to prove who it is, unless
   * `withServeOptions('--no-auth')` says otherwise.
   * @note the copies are readable for every user of the container, which has one.
   */
  withPki(folder: string): this {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    const contents = files.map(({ name }) => ({ content: readFileSync(join(folder, name)), target: `${copied}/pki/${name}`, mode: 0o644 }));
    this.withCopyContentToContainer(contents);
    return this.withServeOptions('--pki', `${copied}/pki`);
  }

  /** More options of `fake-istiod serve`, such as `--auth`, `--tls on`. */
  withServeOptions(...options: readonly string[]): this {
    this.flags.push(...options);
    return this;
  }

  /** What callers of the control API have to bring. Default: a random one, which the started container knows. */
  withControlToken(token: string): this {
    this.token = token;
    return this;
  }

  /** Joins a network, on which it is called `istiod.istio-system.svc`. */
  override withNetwork(network: StartedNetwork): this {
    return super.withNetwork(network).withNetworkAliases(...new Set([...this.networkAliases, istiodAlias]));
  }

  /** Told the container's output, beside what is kept of it. */
  override withLogConsumer(consumer: (stream: Readable) => unknown): this {
    this.consumer = consumer;
    return this;
  }

  /** Errors: `docker.unavailable`, `image.not-found`, `container.start-failed` with what fake-istiod says, such as an unknown scenario. */
  override async start(): Promise<StartedFakeIstiodContainer> {
    const bind = ['--bind', '0.0.0.0', '--control-bind', '0.0.0.0', '--control-port', String(istiodPorts.control)];
    this.withCommand(['serve', ...this.inputs, ...bind, ...this.flags]).withEnvironment({ FAKE_ISTIOD_CONTROL_TOKEN: this.token });
    const answers = Wait.forHttp('/health', istiodPorts.control, { abortOnContainerExit: true })
      .withHeaders({ authorization: `Bearer ${this.token}` })
      .forStatusCodeMatching((code) => code < 600);
    this.wait = new NotedWait(answers, this.log);
    this.withWaitStrategy(this.wait);
    try {
      const started = await super.start();
      return await StartedFakeIstiodContainer.of(started, { token: this.token, network: this.networkMode, log: this.log });
    } catch (error) {
      throw await this.failure(error);
    } finally {
      this.createdId = undefined;
    }
  }

  /** One clear error out of whatever a start failed with. */
  failure(error: unknown): Promise<FakeIstiodError> {
    return startFailure(error, {
      name: 'fake-istiod',
      image: this.image,
      id: this.createdId,
      log: this.log,
      noted: this.wait?.noted,
      imageRemedy: 'Make it in a checkout with `npm run image`, or name another: new FakeIstiodContainer(image)',
    });
  }

  protected override containerCreated(containerId: string): Promise<void> {
    this.createdId = containerId;
    return Promise.resolve();
  }

  private isFile(scenario: string): boolean {
    if (existsSync(scenario) && statSync(scenario).isFile()) return true;
    if (!/[/\\]|\.(ya?ml|json)$/.test(scenario)) return false;
    throw new FakeIstiodError('scenario.not-found', `there is no scenario file ${scenario}`, {
      remedy: 'Name a file of this machine, or a scenario of the package such as ready',
    });
  }

  /** Copies a file in. Gives its place inside. */
  private copyIn(file: string): string {
    const target = `${copied}/${this.contentsToCopy.length}/${basename(file)}`;
    try {
      this.withCopyContentToContainer([{ content: readFileSync(file), target, mode: 0o644 }]);
      return target;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new FakeIstiodError('input.unreadable', `${file} cannot be read: ${why}`, { remedy: 'Name a file of this machine' });
    }
  }
}
