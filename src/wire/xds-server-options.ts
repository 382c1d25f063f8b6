import type { CertificateRequest } from '../auth/ca-door.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { AuthPolicy } from '../auth/policy.ts';
import type { Authority } from '../ca/authority.ts';
import type { Clock } from '../clock.ts';
import type { Status } from '../protocol/response.ts';
import type { StreamAcceptor } from '../session/stream-port.ts';
import type { ServerEvent } from './server-event.ts';

/** What is spoken on the main port: by the first byte of a connection, TLS only, or plaintext only. */
export type TlsMode = 'auto' | 'on' | 'off';

/** Answers the gRPC health service. */
export interface HealthSource {
  /** Whether the server serves, as istiod's readiness would say. */
  isReady(): boolean;
  /** Calls `listener` whenever `isReady` may have changed; the returned function calls it off. Without it `Watch` tells the first state only. */
  onChange?(listener: () => void): () => void;
}

/** Answers `IstioCertificateService/CreateCertificate`. */
export interface CertificateIssuer {
  /** The chain, each PEM, or the status that the call ends with. */
  create(request: CertificateRequest, credentials: Credentials): Promise<readonly string[] | Status>;
}

export interface XdsServerOptions {
  /** Who takes new xDS streams. */
  readonly streams: StreamAcceptor;
  readonly emit: (event: ServerEvent) => void;
  /**
   * IP addresses to listen on; all get the same port. Default `['127.0.0.1', '::1']`. An address of a family that the machine
   * does not have is left out as long as another one works.
   */
  readonly bind?: readonly string[];
  /** The port for TLS and plaintext; 0 (default) takes any free one. */
  readonly port?: number;
  /** The port for plaintext only; 0 takes any free one. Default `undefined`: there is none. */
  readonly plaintextPort?: number | undefined;
  /** What `port` speaks. Default `auto`. */
  readonly tls?: TlsMode;
  /** The largest message taken or sent, in bytes. Default 64 MiB. */
  readonly maxMessageBytes?: number;
  /** Names or IP addresses that the server certificate carries beside istiod's own. Default none. */
  readonly serverNames?: readonly string[];
  /** Signs the server's certificate, and client certificates have to lead to its roots. Default: one with a root of its own. */
  readonly authority?: Authority;
  /** What client certificates are held against, asked at each handshake; undefined (default): none is asked for. */
  readonly policy?: () => AuthPolicy | undefined;
  /** The CA's service. Default: there is none. */
  readonly certificates?: CertificateIssuer;
  /** Whether the CA is there for callers without TLS (`serve`, default), or unknown to them as on istiod's 15010 (`refuse`); asked at each call. */
  readonly caOnPlaintext?: () => 'serve' | 'refuse';
  /** Default: always ready. */
  readonly health?: HealthSource;
  /** Whether server reflection is served. Default true. */
  readonly reflection?: boolean;
  /** Dates the certificates. Default: the clock of the machine. */
  readonly clock?: Clock;
}
