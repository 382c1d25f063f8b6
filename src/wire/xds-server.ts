import { FakeIstiodError } from '../errors.ts';
import type { XdsServerOptions } from './xds-server-options.ts';

/** The gRPC server on which proxies reach istiod. */
export interface XdsServer {
  /** The first address listened on. */
  readonly address: string;
  /** The port for TLS and plaintext; 0 before the first start if any was asked for. Kept over stop and start. */
  readonly port: number;
  /** The plaintext port, if there is one. */
  readonly plaintextPort: number | undefined;
  /** All addresses listened on as `host:port` (`[::1]:15012`), the main port first; empty while stopped. */
  readonly addresses: readonly string[];
  /** True while the ports accept but nothing is answered. */
  readonly silent: boolean;
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
}

/** A server that does not listen yet. */
export function createXdsServer(options: XdsServerOptions): XdsServer {
  throw new FakeIstiodError('internal', `createXdsServer is not written yet (${Object.keys(options).length} options)`);
}
