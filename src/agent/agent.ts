import { join } from 'node:path';
import { systemClock, type Clock } from '../clock.ts';
import type { AdminClient, EnvoyExit } from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';
import { loopbackOf } from './agent-bootstrap.ts';
import type { AgentLog, AgentLogLine } from './agent-log.ts';
import { AgentMetrics } from './agent-metrics.ts';
import type { OwnTypes } from './carried-stream.ts';
import { envoySide, exitNumber, type EnvoySide } from './envoy-side.ts';
import { IstiodConnection } from './istiod-connection.ts';
import { envoyMetrics, mergedMetrics } from './merged-metrics.ts';
import { decodeNameTable, decodeRootsOfProxyConfig, type NameTable } from './name-table.ts';
import type { AgentOptions, AgentPorts, BootstrapPlace } from './options.ts';
import { podFile, PodFiles } from './pod-files.ts';
import { envoyPorts } from './ports.ts';
import { Readiness } from './readiness.ts';
import { serveSecrets } from './served-secrets.ts';
import { serveOnSocket, type SocketServer } from './socket-server.ts';
import { openStatusServer, type StatusServer } from './status-server.ts';
import type { SecretStore } from './secret-store.ts';
import { waited } from './waited.ts';
import { XdsCarrier } from './xds-carrier.ts';

/** How an agent came to its end. */
export type AgentEnd =
  /** Its Envoy ended by itself; `code` as a shell counts it. */
  | { readonly by: 'envoy'; readonly exit: EnvoyExit; readonly code: number }
  /** It was told to: `terminate`, `stop` or `/quitquitquit`. */
  | { readonly by: 'request' };

/** A running stand-in for pilot-agent. */
export interface Agent extends AsyncDisposable {
  /** The real numbers, where 0 was asked for too. */
  readonly ports: Required<AgentPorts>;
  /** What a bootstrap for this agent has to name. */
  readonly place: BootstrapPlace;
  /** The Unix sockets, as absolute paths. `sds` is that of somebody else (SPIRE) if one was there. */
  readonly sockets: { readonly xds: string; readonly sds: string };
  /** Envoy's admin API; undefined without an Envoy. */
  readonly admin: AdminClient | undefined;
  /** Process id of the Envoy that the agent started. */
  readonly envoyPid: number | undefined;
  /** Lines of the agent's log, at most 5000, oldest first. Grows. */
  readonly log: readonly AgentLogLine[];
  /** Why the pod is not ready, in pilot-agent's words; undefined if it is. What 15020 answers with 503 and 200. */
  notReadyBecause(): Promise<string | undefined>;
  /** Settles when the agent is gone; never rejects. */
  readonly ended: Promise<AgentEnd>;
  /** As SIGTERM: drains Envoy, gives connections `terminationDrainMs`, then goes. */
  terminate(): Promise<void>;
  /** Goes at once. May be called any number of times. */
  stop(): Promise<void>;
}

const keptLines = 5_000;
const nameTableType = 'type.googleapis.com/istio.networking.nds.v1.NameTable';
const proxyConfigType = 'type.googleapis.com/istio.mesh.v1alpha1.ProxyConfig';

/**
 * Starts the stand-in for pilot-agent: certificate and root over SDS, xDS carried to istiod, Envoy, and the HTTP of port 15020. It is up when
 * its sockets are there; whether the pod becomes ready is another matter. Errors: `input.unreadable` for a root certificate that is not
 * there, `port.in-use`, `output.unwritable`, `options.invalid`, `usage.invalid`, and those of `launchEnvoy`.
 */
export async function startAgent(options: AgentOptions = {}): Promise<Agent> {
  const agent = new RunningAgent(options);
  try {
    await agent.start();
    return agent;
  } catch (error) {
    await agent.stop();
    throw error;
  }
}

class RunningAgent implements Agent {
  readonly log: AgentLogLine[] = [];
  readonly ended: Promise<AgentEnd>;
  readonly #options: AgentOptions;
  readonly #clock: Clock;
  readonly #files: PodFiles;
  readonly #metrics = new AgentMetrics();
  readonly #stopped = new AbortController();
  readonly #readiness: Readiness;
  readonly #sockets: SocketServer[] = [];
  #settle: (end: AgentEnd) => void = () => undefined;
  #place: BootstrapPlace | undefined;
  #sds = '';
  #status: StatusServer | undefined;
  #envoy: EnvoySide | undefined;
  #names: NameTable | undefined;
  #drained = false;
  #terminating: string | undefined;
  #going: Promise<void> | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#files = new PodFiles(options.root ?? '.');
    this.ended = new Promise((resolve) => (this.#settle = resolve));
    this.#readiness = new Readiness({
      hasEnvoy: options.envoy?.kind !== 'none',
      admin: () => this.#envoy?.admin,
      terminated: () => this.#terminating,
      agentTrouble: () => this.#dnsTrouble(),
    });
  }

  get ports(): Required<AgentPorts> {
    return this.place.ports;
  }

  get place(): BootstrapPlace {
    if (this.#place) return this.#place;
    throw new FakeIstiodError('internal', 'the agent has not started');
  }

  get sockets(): Agent['sockets'] {
    return { xds: this.#files.path(podFile.xdsSocket), sds: this.#sds };
  }

  get admin(): AdminClient | undefined {
    return this.#envoy?.admin;
  }

  get envoyPid(): number | undefined {
    return this.#envoy?.process?.pid;
  }

  notReadyBecause(): Promise<string | undefined> {
    return this.#readiness.trouble();
  }

  async start(): Promise<void> {
    const { bind = '127.0.0.1', ports = {} } = this.#options;
    const ofEnvoy = await envoyPorts(ports, bind);
    const connection = new IstiodConnection(this.#options, this.#files, this.#say, this.#clock);
    // pilot-agent does not start without these either.
    await connection.xdsTarget();
    this.#status = await this.#openStatus(bind, ofEnvoy.prometheus);
    const sdsSocket = join(podFile.sdsSocketDir, this.#options.workloadSocketFile ?? 'socket');
    this.#sds = this.#files.path(sdsSocket);
    this.#place = {
      ports: { ...ofEnvoy, status: this.#status.port },
      bind,
      root: this.#files.root,
      sdsSocket: `./${sdsSocket}`,
      xdsSocket: podFile.xdsSocket,
    };
    const { store, server } = await serveSecrets({
      options: this.#options,
      connection,
      files: this.#files,
      path: this.#sds,
      log: this.#say,
      metrics: this.#metrics,
      clock: this.#clock,
      stopped: this.#stopped.signal,
    });
    this.#sockets.push(server);
    const carrier = await this.#serveXds(connection, store);
    this.#say('info', 'default', 'Starting proxy agent');
    this.#envoy = await envoySide(this.#options, this.#place, this.#say);
    void this.#envoy.process?.exited.then((exit) => this.#envoyEnded(exit));
    await this.#checkWorkload(carrier);
  }

  async terminate(): Promise<void> {
    if (this.#stopped.signal.aborted || this.#terminating !== undefined) return this.#gone();
    this.#terminating = 'the agent is told to go';
    this.#say('info', 'default', 'Agent draining Proxy for termination');
    if (this.#drained) this.#say('info', 'default', 'Agent already drained, exiting immediately');
    else await this.#drainForTermination();
    this.#say('info', 'default', 'Agent has successfully terminated');
    await this.stop();
  }

  stop(): Promise<void> {
    this.#going ??= this.#goNow({ by: 'request' });
    return this.#going;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #gone(): Promise<void> {
    await this.ended;
    await this.#going;
  }

  async #drainForTermination(): Promise<void> {
    const { terminationDrainMs = 5_000 } = this.#options;
    if (!this.#envoy?.admin) return;
    await this.#envoy.drain(false);
    this.#say('info', 'default', `Graceful termination period is ${terminationDrainMs / 1000}s, starting...`);
    await waited(terminationDrainMs, this.#clock, this.#stopped.signal);
    this.#say('info', 'default', 'Graceful termination period complete, terminating remaining proxies.');
  }

  #envoyEnded(exit: EnvoyExit): void {
    this.#going ??= this.#goNow({ by: 'envoy', exit, code: exitNumber(exit) });
  }

  async #goNow(end: AgentEnd): Promise<void> {
    this.#terminating ??= 'the agent has stopped';
    this.#stopped.abort();
    await this.#envoy?.stop();
    await Promise.all([...this.#sockets.map((server) => server.close()), this.#status?.close()]);
    this.#settle(end);
  }

  #openStatus(host: string, prometheusPort: number): Promise<StatusServer> {
    const { ports = {}, appProbers = {}, workload = {}, scrape = [], bind = '127.0.0.1', envoy } = this.#options;
    const ofEnvoy = envoy?.kind === 'none' ? undefined : (query: string) => envoyMetrics(loopbackOf(bind), prometheusPort, query);
    return openStatusServer({
      host,
      port: ports.status ?? 15_020,
      trouble: async () => {
        const trouble = await this.#readiness.trouble();
        if (trouble === undefined) this.#tellReady();
        return trouble;
      },
      metrics: (query, accept) => mergedMetrics({ own: this.#metrics, envoy: ofEnvoy, targets: scrape, log: this.#say }, query, accept),
      quit: () => void this.stop(),
      drain: () => void this.#drainNow(),
      nameTable: () => this.#names,
      appProbers,
      appHost: workload.ip ?? '127.0.0.1',
      log: this.#say,
    });
  }

  async #drainNow(): Promise<void> {
    this.#say('info', 'default', 'Agent draining proxy');
    this.#drained = true;
    await this.#envoy?.drain(true);
  }

  #wasReady = false;
  readonly #startedMs = performance.now();

  #tellReady(): void {
    if (this.#wasReady) return;
    this.#wasReady = true;
    const seconds = (performance.now() - this.#startedMs) / 1000;
    this.#metrics.gauge('startup_duration_seconds', () => seconds);
    this.#say('info', 'default', `Readiness succeeded in ${seconds.toFixed(3)}s`);
  }

  async #serveXds(connection: IstiodConnection, store: SecretStore): Promise<XdsCarrier> {
    const own: Map<string, (resource: Uint8Array) => void> = new Map();
    if (this.#options.dnsCapture) own.set(nameTableType, (bytes) => (this.#names = decodeNameTable(bytes)));
    if (this.#options.proxyConfigXds) own.set(proxyConfigType, (bytes) => store.setConfiguredRoots(decodeRootsOfProxyConfig(bytes)));
    const types: OwnTypes = own;
    const cluster = this.#options.clusterId ?? 'Kubernetes';
    this.#say('info', 'xdsproxy', `Initializing with upstream address "${connection.discoveryAddress}" and cluster "${cluster}"`);
    const carrier = new XdsCarrier({ connection, own: types, log: this.#say, metrics: this.#metrics });
    this.#sockets.push(await serveOnSocket(this.sockets.xds, carrier.methods));
    return carrier;
  }

  async #checkWorkload(carrier: XdsCarrier): Promise<void> {
    const { readinessProbe: probe, workload = {}, envoy } = this.#options;
    if (!probe) return;
    const { checkHealth } = await import('./health-checker.ts');
    void checkHealth({
      probe,
      host: workload.ip ?? '127.0.0.1',
      envoyTrouble: async () => (envoy?.kind === 'none' ? undefined : this.#readiness.envoyTrouble()),
      tell: (health) => carrier.tellHealth(health),
      log: this.#say,
      clock: this.#clock,
      stopped: this.#stopped.signal,
    });
  }

  #dnsTrouble(): string | undefined {
    const waits = this.#options.dnsCapture && !this.#names;
    return waits ? 'istio DNS capture is turned ON and DNS lookup table is not ready yet' : undefined;
  }

  readonly #say: AgentLog = (level, scope, text, labels = {}) => {
    const line: AgentLogLine = { at: this.#clock.date(), level, scope, text, labels };
    this.log.push(line);
    if (this.log.length > keptLines) this.log.shift();
    this.#options.onLog?.(line);
  };
}
