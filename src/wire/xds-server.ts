import type { Socket } from 'node:net';
import { createAuthority, type Authority } from '../ca/authority.ts';
import { createServerIdentity, type ServerIdentity } from '../ca/server-identity.ts';
import { systemClock, type Clock } from '../clock.ts';
import type { Status } from '../protocol/response.ts';
import type { TlsPreset } from '../session/identity-port.ts';
import { certificateMethods } from './certificate-service.ts';
import type { Connections } from './connections.ts';
import { aggregatedDiscoveryService, discoveryMethods } from './discovery-methods.ts';
import { DiscoveryStreams } from './discovery-service.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { GrpcServer } from './grpc-server.ts';
import { healthMethods } from './health-service.ts';
import { listen, type ListeningPort } from './listening-port.ts';
import { reflectionMethods } from './reflection-service.ts';
import { StatusCode } from './status.ts';
import type { TlsMode, XdsServerOptions } from './xds-server-options.ts';

/** The gRPC server on which proxies reach istiod. */
export interface XdsServer {
  /** The first address listened on. */
  readonly address: string;
  /** The port for TLS and plaintext; 0 before the first `start` or `reserve` if any was asked for. Kept over stop and start. */
  readonly port: number;
  /** The plaintext port, if there is one. */
  readonly plaintextPort: number | undefined;
  /** All addresses listened on as `host:port` (`[::1]:15012`), the main port first; empty while stopped. */
  readonly addresses: readonly string[];
  /** True while the ports accept but nothing is answered. */
  readonly silent: boolean;
  /**
   * Settles which ports `start` will listen on, without listening: for clients that have to know them before. Does nothing if they are
   * known. Errors as `start`.
   *
   * @note Nobody else gets them meanwhile, or hardly ever: the kernel hands out free ports at random.
   */
  reserve(): Promise<void>;
  /**
   * Listens; after a stop on the same ports again. Does nothing if it runs already, but for ending a silence.
   *
   * @throws FakeIstiodError `port.in-use`, `port.forbidden`, `options.invalid` (an address that is not of this machine)
   */
  start(): Promise<void>;
  /** Ends every stream with status 14, then cuts all connections; takes a second at most. Does nothing if stopped. */
  stop(): Promise<void>;
  /**
   * From now on ports accept, but no byte is answered, as by a process that hangs; open connections fall silent too. Before
   * `start`: it starts silent.
   */
  silence(): void;
  /** What was held up goes on, as if the process had been resumed: nothing is lost, nobody has to connect again. */
  unsilence(): void;
  /** The PEM of the root certificate that a TLS client has to trust. Makes it at the first call. */
  rootCertificatePem(): Promise<string>;
  /** How TLS handshakes go from now on; `ok` also takes back `expireCertificate`. Open connections stay. */
  presentTls(preset: TlsPreset | 'ok'): void;
  /** New handshakes see a certificate that ends in so many milliseconds, to the full second after. Open connections stay, then too. */
  expireCertificate(afterMs: number): void;
  /** The next handshake sees a certificate fresh from the authority; TLS connections are cut. */
  renewCertificate(): void;
}

/** A server that does not listen yet. */
export function createXdsServer(options: XdsServerOptions): XdsServer {
  return new ListeningServer(options);
}

/** How an error names what a port comes from: both to who runs the command and to who calls the library. */
const chosenBy = { port: '`--port`, or the option `port`', plaintextPort: '`--plaintext-port`, or the option `plaintextPort`' };
const defaultHosts: readonly string[] = ['127.0.0.1', '::1'];
const defaultMaxMessageBytes = 64 * 1024 * 1024;
const shuttingDown: Status = { code: StatusCode.unavailable, message: 'server is shutting down' };

/** How long clients have to take their status before they are cut off. Real time: the peers do not live on an injected clock. */
const graceMs = 1000;

class ListeningServer implements XdsServer {
  readonly #options: XdsServerOptions;
  readonly #authority: Authority;
  #identity: ServerIdentity;
  readonly #doorkeeper: Doorkeeper;
  readonly #grpc: GrpcServer;
  readonly #streams: DiscoveryStreams;
  #ports: readonly ListeningPort[] = [];
  #port: number;
  #plaintextPort: number | undefined;
  #silent = false;
  /** `start` and `stop` one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: XdsServerOptions) {
    this.#options = options;
    this.#port = options.port ?? 0;
    this.#plaintextPort = options.plaintextPort;
    this.#authority = options.authority ?? createAuthority({ clock: this.#clock });
    this.#identity = this.#newIdentity();
    this.#doorkeeper = new Doorkeeper({
      certificate: (wish) => this.#identity.certificate(wish),
      rootPem: () => this.#authority.rootPem(),
      policy: options.policy ?? (() => undefined),
      date: () => this.#clock.date(),
      emit: options.emit,
      admit: (socket) => this.#grpc.admit(socket),
    });
    this.#streams = new DiscoveryStreams(options.streams);
    this.#grpc = createGrpcServer(options, this.#streams, this.#doorkeeper.connections);
  }

  get address(): string {
    return this.#hosts[0] ?? '127.0.0.1';
  }

  get port(): number {
    return this.#port;
  }

  get plaintextPort(): number | undefined {
    return this.#plaintextPort;
  }

  get addresses(): readonly string[] {
    return this.#ports.flatMap((port) => port.addresses);
  }

  get silent(): boolean {
    return this.#silent;
  }

  reserve(): Promise<void> {
    return this.#inTurn(async () => {
      // Both are held until both are known, or they might be the same.
      const main = await this.#freePort(this.#port, chosenBy.port);
      const plain = await this.#freePort(this.#plaintextPort, chosenBy.plaintextPort).finally(() => main?.close());
      await plain?.close();
      this.#port = main?.port ?? this.#port;
      this.#plaintextPort = plain?.port ?? this.#plaintextPort;
    });
  }

  start(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#ports.length > 0) return this.unsilence();
      await this.#listen();
      this.#options.emit({ event: 'server.started', addresses: this.addresses });
    });
  }

  stop(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#ports.length === 0) return;
      const closed = Promise.all(this.#ports.map((port) => port.close()));
      this.#ports = [];
      await this.#endConnections();
      await closed;
      this.#setSilent(false);
      this.#options.emit({ event: 'server.stopped' });
    });
  }

  silence(): void {
    if (this.#silent) return;
    this.#setSilent(true);
    this.#options.emit({ event: 'server.silenced', silent: true });
  }

  unsilence(): void {
    if (!this.#silent) return;
    this.#setSilent(false);
    this.#options.emit({ event: 'server.silenced', silent: false });
  }

  rootCertificatePem(): Promise<string> {
    return this.#authority.rootPem();
  }

  presentTls(preset: TlsPreset | 'ok'): void {
    this.#doorkeeper.terminator.present(preset);
  }

  expireCertificate(afterMs: number): void {
    const fullSecond = Math.ceil((this.#clock.date().getTime() + afterMs) / 1000) * 1000;
    this.#doorkeeper.terminator.expire(new Date(fullSecond));
  }

  renewCertificate(): void {
    this.#identity = this.#newIdentity();
    this.#doorkeeper.terminator.renew();
    this.#doorkeeper.connections.cutSecure();
  }

  get #clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  #newIdentity(): ServerIdentity {
    return createServerIdentity(this.#options.serverNames ?? [], this.#clock, this.#authority);
  }

  get #hosts(): readonly string[] {
    return this.#options.bind ?? defaultHosts;
  }

  async #listen(): Promise<void> {
    const main = await this.#listenOn(this.#port, chosenBy.port, this.#options.tls ?? 'auto');
    try {
      const plain = this.#plaintextPort === undefined ? [] : [await this.#listenOn(this.#plaintextPort, chosenBy.plaintextPort, 'off')];
      this.#ports = [main, ...plain];
      this.#port = main.port;
      this.#plaintextPort = plain[0]?.port;
    } catch (error) {
      await main.close();
      throw error;
    }
  }

  /** A port that is free on all hosts, held until it is closed; undefined where one was named. */
  async #freePort(wanted: number | undefined, by: string): Promise<ListeningPort | undefined> {
    if (wanted !== 0) return undefined;
    return listen({ hosts: this.#hosts, port: 0, chosenBy: by, onConnection: (socket) => socket.destroy() });
  }

  #listenOn(port: number, by: string, mode: TlsMode): Promise<ListeningPort> {
    const onConnection = (socket: Socket): void => this.#doorkeeper.accept(socket, socket.localPort ?? port, mode);
    return listen({ hosts: this.#hosts, port, chosenBy: by, onConnection });
  }

  /** @note While silent nobody is told: a process that hangs and is killed says no good-bye. */
  async #endConnections(): Promise<void> {
    const { connections } = this.#doorkeeper;
    this.#streams.endAll(shuttingDown);
    if (this.#silent) {
      connections.cut();
      return;
    }
    this.#grpc.calls.endAll(shuttingDown);
    this.#grpc.dismiss();
    connections.cutUnidentified();
    const cut = setTimeout(() => connections.cut(), graceMs);
    await connections.drained();
    clearTimeout(cut);
  }

  #setSilent(silent: boolean): void {
    this.#silent = silent;
    if (silent) {
      this.#streams.freeze();
      this.#doorkeeper.silence();
    } else {
      this.#doorkeeper.unsilence();
      this.#streams.thaw();
    }
  }

  #inTurn(task: () => Promise<void> | void): Promise<void> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function createGrpcServer(options: XdsServerOptions, streams: DiscoveryStreams, connections: Connections): GrpcServer {
  const server = new GrpcServer({
    maxMessageBytes: options.maxMessageBytes ?? defaultMaxMessageBytes,
    connectionBetween: (endpoints) => connections.between(endpoints),
  });
  for (const method of discoveryMethods)
    server.add({ path: method.path, framed: true, handle: (call) => streams.accept(method, server.calls, call) });
  const health = options.health ?? { isReady: () => true };
  for (const method of healthMethods(health, [aggregatedDiscoveryService])) server.add(method);
  if (options.certificates) {
    for (const method of certificateMethods(options.certificates, server.calls, options.caOnPlaintext ?? (() => 'serve')))
      server.add(method);
  }
  if (options.reflection ?? true) for (const method of reflectionMethods(() => server.services())) server.add(method);
  return server;
}
