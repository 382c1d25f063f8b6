import { AbstractStartedContainer, type StartedTestContainer } from 'testcontainers';
import { ControlClient } from '../control/control-client.ts';
import { systemClock } from '../clock.ts';
import { bootstrap as plainBootstrap, mergeJson, type Bootstrap, type BootstrapOptions, type EnvoyEvent } from '../envoy/index.ts';
import type { AckedOptions, EventMatch, Push, ResourceSet, ResourceUpdate, Timeline, WaitOptions, WithholdOptions } from '../index.ts';
import type { TimelineEvent } from '../events.ts';
import { waitFor } from '../observe/wait.ts';
import type { ContainerLog } from './container-log.ts';
import { istiodAlias, istiodPorts } from './image.ts';
import { reachedByHost, type Reached } from './reach.ts';
import { RemoteTimeline } from './remote-timeline.ts';
import { hostInUrl } from './state-wait.ts';

/** What is known of a fake istiod's container beside what Docker tells. */
export interface IstiodFacts {
  readonly token: string;
  /** The network that it was put into. */
  readonly network: string | undefined;
  readonly log: ContainerLog;
}

/** What is published over the control API, and what became of it. */
export type RemotePush = Pick<Push, 'acked' | 'version' | 'sequence'> & {
  /** Short names of the types whose content it changed. */
  readonly types: readonly string[];
};

/** A fake istiod that runs in a container. What it does stands in `timeline`, a moment later than it happens. */
export class StartedFakeIstiodContainer extends AbstractStartedContainer {
  /** Its control API, typed. */
  readonly control: ControlClient;
  readonly controlUrl: string;
  /** What callers of the control API have to bring. */
  readonly controlToken: string;
  private readonly facts: IstiodFacts;
  private readonly remote = new RemoteTimeline();

  private constructor(started: StartedTestContainer, control: ControlClient, facts: IstiodFacts) {
    super(started);
    this.control = control;
    this.controlUrl = control.url;
    this.controlToken = facts.token;
    this.facts = facts;
    this.remote.follow(control);
  }

  /** What a started container is, once its control API has answered. */
  static async of(started: StartedTestContainer, facts: IstiodFacts): Promise<StartedFakeIstiodContainer> {
    const url = `http://${hostInUrl(started.getHost())}:${started.getMappedPort(istiodPorts.control)}`;
    const control = new ControlClient({ url, token: facts.token });
    await control.call('GET /state', {});
    return new StartedFakeIstiodContainer(started, control, facts);
  }

  /** The published port for TLS and plaintext. */
  get xdsPort(): number {
    return this.getMappedPort(istiodPorts.xds);
  }

  /** The published port for plaintext alone. */
  get plaintextPort(): number {
    return this.getMappedPort(istiodPorts.plaintext);
  }

  /** The port on which its own network reaches it, under `istiod.istio-system.svc`. */
  get meshAddress(): string {
    return `${istiodAlias}:${istiodPorts.xds}`;
  }

  /** All that happened, oldest first. */
  get timeline(): Timeline {
    return this.remote;
  }

  /** The newest lines of its log (at most 5000), oldest first. Grows. */
  get log(): readonly string[] {
    return this.facts.log.lines;
  }

  /** Where an Envoy in a container of `network` (undefined: of none) reaches it: by name on its own network, else by the published port. */
  addressFor(network: string | undefined): Partial<Reached> & Pick<Reached, 'host' | 'port'> & { readonly network?: string } {
    const own = this.facts.network;
    if (own !== undefined && (network === undefined || network === own)) return { host: istiodAlias, port: istiodPorts.xds, network: own };
    return reachedByHost(this.xdsPort);
  }

  /** A bootstrap for an Envoy on this machine, with the scenario's wishes and this server's certificates and tokens, and `options` over it. */
  async bootstrap(options: BootstrapOptions = {}): Promise<Bootstrap> {
    const { host = this.getHost(), port = this.xdsPort, variant, shape, admin } = options;
    const bound = admin && 'host' in admin ? admin : undefined;
    const wished = await this.control.call('GET /bootstrap', {
      query: {
        host,
        port,
        ...(variant === undefined ? {} : { variant }),
        ...(shape === undefined ? {} : { shape }),
        ...(bound?.host === undefined ? {} : { admin_host: bound.host }),
        ...(bound?.port === undefined ? {} : { admin_port: bound.port }),
      },
    });
    return laidOver(wished as Bootstrap, { ...options, host, port });
  }

  /** The root certificate (PEM) that its TLS certificate ends in. */
  async rootCertificate(): Promise<string> {
    return this.control.call('GET /root-certificate', {});
  }

  /** Resolves with the first event that matches, also one that has happened already. See `waitFor` of the library. */
  waitFor(awaited: EventMatch, options: WaitOptions = {}): Promise<TimelineEvent> {
    return waitFor(this.timeline, awaited, { clock: systemClock, ...options });
  }

  /** Owed responses of a type are not sent until `release`. */
  async withhold(type: string, options: WithholdOptions = {}): Promise<void> {
    await this.control.call('POST /withhold', { body: ruleBody(type, options) });
  }

  /** Lifts what `withhold` or the scenario withholds. */
  async release(type: string, options: WithholdOptions = {}): Promise<void> {
    await this.control.call('POST /release', { body: ruleBody(type, options) });
  }

  /** Replaces the types given, all of each. */
  async publish(resources: ResourceSet): Promise<RemotePush> {
    return this.push(await this.control.call('PUT /snapshot', { body: { ...resources } as never }));
  }

  /** Sets and removes single resources; all others stay. */
  async update(update: ResourceUpdate): Promise<RemotePush> {
    return this.push(await this.control.call('PATCH /snapshot', { body: { ...update } as never }));
  }

  /** Puts an event of the proxy into the timeline. It is on its way when this returns. */
  report(event: EnvoyEvent): void {
    void this.control.call('POST /events', { body: { ...event } }).catch(() => undefined);
  }

  protected override async containerStopping(): Promise<void> {
    await this.remote.stop();
  }

  private push({ version, sequence, types }: { version: string; sequence: number; types: readonly string[] }): RemotePush {
    const acked = async ({ node, types: wanted, timeoutMs }: AckedOptions = {}): Promise<void> => {
      await this.control.call('GET /wait/acked', {
        query: {
          version,
          ...(node === undefined ? {} : { node }),
          ...(wanted ? { type: [...wanted] } : {}),
          ...(timeoutMs === undefined ? {} : { timeout: `${timeoutMs}ms` }),
        },
      });
    };
    return { version, sequence, types, acked };
  }
}

function ruleBody(type: string, { names, node }: WithholdOptions) {
  return { type, ...(names ? { names: [...names] } : {}), ...(node === undefined ? {} : { node: { id: node } }) } as never;
}

/** What the server wishes, and over it what a caller asked for that the API has no word for, a part of the bootstrap at a time. */
function laidOver(wished: Bootstrap, options: BootstrapOptions): Bootstrap {
  const { node, tls, initialMetadata, fetchTimeout, clusterName, adsCluster, tokenFile, merge } = options;
  const own = plainBootstrap({ ...options, merge: {} });
  const given = (...asked: readonly unknown[]): boolean => asked.some((option) => option !== undefined);
  const parts = {
    node: given(node),
    static_resources: given(tls, clusterName, tokenFile),
    dynamic_resources: given(initialMetadata, fetchTimeout, clusterName, adsCluster),
  };
  const taken = Object.entries(own).filter(([part]) => parts[part as keyof typeof parts]);
  const laid: Bootstrap = { ...wished, ...Object.fromEntries(taken) };
  return merge ? mergeJson(laid, merge) : laid;
}
