/** The xDS ports listen. */
export interface ServerStarted {
  readonly event: 'server.started';
  /** Addresses listened on, as `host:port`: the port for TLS and plaintext first, then the plaintext port. */
  readonly addresses: readonly string[];
}

/** Nothing listens any more. */
export interface ServerStopped {
  readonly event: 'server.stopped';
}

/** The ports accept connections from now on but never answer (`silent`), or answer again. */
export interface ServerSilenced {
  readonly event: 'server.silenced';
  readonly silent: boolean;
}

/** A client connected to a port. */
export interface ConnectionAccepted {
  readonly event: 'connection.accepted';
  readonly peer: string;
  readonly port: number;
  /** Known from the first byte: a TLS handshake, plaintext HTTP/2, or nothing yet because the port is silent. */
  readonly protocol: 'tls' | 'plaintext' | 'silent';
}

/** A TLS handshake did not come about. */
export interface HandshakeFailed {
  readonly event: 'handshake.failed';
  readonly peer: string;
  readonly reason: string;
}

/** A command could not be carried out: to open or close the ports, or to write the proxy's token or ask for its certificate. */
export interface ServerFailed {
  readonly event: 'server.failed';
  readonly reason: string;
}

export type ServerEvent = ServerFailed | ServerStarted | ServerStopped | ServerSilenced | ConnectionAccepted | HandshakeFailed;
