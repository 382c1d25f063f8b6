import type { Socket } from 'node:net';

/** A client's TCP connection. */
export interface Connection {
  /** Address and port of the client, as `127.0.0.1:43210` or `[::1]:43210`. */
  readonly peer: string;
  readonly secure: boolean;
  /** Of the client certificate that the handshake has checked: its one URI name. */
  readonly certificateUri?: string;
}

/** `host:port`, with brackets around an IPv6 address. */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What tells connections apart. */
export interface Endpoints {
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** Not public in Node: the one way to stop reading below an HTTP/2 session, which has taken the socket over. */
interface WithHandle {
  readonly _handle?: { readStart?(): void; readStop?(): void } | null;
}

const settlingRounds = 16;
const refreezeMs = 20;
const unknown: Connection = { peer: 'unknown', secure: false };

/** The sockets that are open, and what is known of each. */
export class Connections {
  readonly #sockets = new Set<Socket>();
  readonly #byEndpoints = new Map<string, Connection>();
  #frozen = false;
  #again: NodeJS.Timeout | undefined;

  /** Remembers a socket until it is closed. */
  add(socket: Socket): void {
    this.#sockets.add(socket);
    const key = keyOf(socket);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      this.#byEndpoints.delete(key);
    });
    // A reset by the client is no event of its own: its streams tell.
    socket.on('error', () => undefined);
  }

  /** Now it is known what `socket` speaks. */
  identify(socket: Socket, connection: Connection): void {
    if (!socket.destroyed) this.#byEndpoints.set(keyOf(socket), connection);
  }

  /** The connection between these endpoints. */
  between(endpoints: Endpoints): Connection {
    return this.#byEndpoints.get(keyOf(endpoints)) ?? unknown;
  }

  /** Nothing more is read; what the kernel has acknowledged waits there. */
  freeze(): void {
    this.#frozen = true;
    this.#stopReading(0);
  }

  thaw(): void {
    this.#frozen = false;
    clearTimeout(this.#again);
    for (const socket of this.#sockets) (socket as WithHandle)._handle?.readStart?.();
  }

  /**
   * @note Again and again: an HTTP/2 session starts to read again when a write that was under way is done. Most are in the next rounds
   * of the event loop, where this comes before the next read.
   */
  #stopReading(round: number): void {
    if (!this.#frozen) return;
    for (const socket of this.#sockets) (socket as WithHandle)._handle?.readStop?.();
    if (round < settlingRounds) setImmediate(() => this.#stopReading(round + 1));
    else this.#again = setTimeout(() => this.#stopReading(round), refreezeMs).unref();
  }

  /** Cuts those that have not said yet what they speak. */
  cutUnidentified(): void {
    for (const socket of this.#sockets) if (!this.#byEndpoints.has(keyOf(socket))) socket.destroy();
  }

  /** Cuts those that speak TLS. */
  cutSecure(): void {
    for (const socket of this.#sockets) if (this.#byEndpoints.get(keyOf(socket))?.secure) socket.destroy();
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when no connection is left. */
  async drained(): Promise<void> {
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }
}

function keyOf({ localPort, remoteAddress, remotePort }: Endpoints): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}

/** Who is at the other end of `socket`. */
export function peerOf(socket: Socket): string {
  const { remoteAddress, remotePort } = socket;
  return remoteAddress === undefined || remotePort === undefined ? unknown.peer : hostPort(remoteAddress, remotePort);
}
