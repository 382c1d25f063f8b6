import type { Socket } from 'node:net';
import { Connections, peerOf } from './connections.ts';
import type { ServerEvent } from './server-event.ts';
import { TlsTerminator, type TlsTerminatorOptions } from './tls-terminator.ts';
import type { TlsMode } from './xds-server-options.ts';

export interface DoorkeeperOptions extends Omit<TlsTerminatorOptions, 'onSecure' | 'onFailure'> {
  readonly emit: (event: ServerEvent) => void;
  /** Takes a connection that speaks HTTP/2 from here on. */
  readonly admit: (socket: Socket) => void;
}

/** The type of a TLS record that opens a handshake (RFC 8446, 5.1); HTTP/2 begins with `P` (RFC 9113, 3.4). */
const tlsHandshake = 0x16;

/** Takes sockets in, sees by the first byte what they speak, and passes them on. */
export class Doorkeeper {
  readonly connections = new Connections();
  /** How TLS handshakes go. */
  readonly terminator: TlsTerminator;
  readonly #options: DoorkeeperOptions;
  readonly #peers = new WeakMap<Socket, string>();
  /** What goes on when the silence ends. */
  #held: (() => void)[] = [];
  #silent = false;

  constructor(options: DoorkeeperOptions) {
    this.#options = options;
    this.terminator = new TlsTerminator({
      ...options,
      onSecure: (raw, plain, certificateUri) => {
        if (certificateUri !== undefined) this.connections.identify(raw, { peer: this.#peer(raw), secure: true, certificateUri });
        options.admit(plain);
      },
      onFailure: (raw, reason) => this.#failed(raw, reason),
    });
  }

  /** A client connected to a port that speaks `mode`. */
  accept(socket: Socket, port: number, mode: TlsMode): void {
    this.connections.add(socket);
    this.#peers.set(socket, peerOf(socket));
    if (this.#silent) {
      this.#options.emit({ event: 'connection.accepted', peer: peerOf(socket), port, protocol: 'silent' });
      this.#held.push(() => this.#awaitFirstByte(socket, (secure) => this.#route(socket, secure, mode)));
      return;
    }
    this.#awaitFirstByte(socket, (secure) => {
      this.#options.emit({ event: 'connection.accepted', peer: this.#peer(socket), port, protocol: secure ? 'tls' : 'plaintext' });
      this.#route(socket, secure, mode);
    });
  }

  /** From now on nothing is read, and nobody is let in. */
  silence(): void {
    this.#silent = true;
    this.connections.freeze();
  }

  unsilence(): void {
    this.#silent = false;
    this.connections.thaw();
    const held = this.#held;
    this.#held = [];
    for (const goOn of held) goOn();
  }

  #awaitFirstByte(socket: Socket, then: (secure: boolean) => void): void {
    socket.once('readable', () => {
      const byte = socket.read(1) as Buffer | null;
      if (!byte) return void socket.destroy();
      socket.unshift(byte);
      const goOn = (): void => then(byte[0] === tlsHandshake);
      if (this.#silent) this.#held.push(goOn);
      else goOn();
    });
  }

  #route(socket: Socket, secure: boolean, mode: TlsMode): void {
    if (socket.destroyed) return;
    if (secure ? mode === 'off' : mode === 'on') {
      socket.destroy();
      this.#failed(socket, secure ? 'the client speaks TLS, this port plaintext' : 'the client speaks plaintext, this port TLS');
      return;
    }
    this.connections.identify(socket, { peer: this.#peer(socket), secure });
    if (secure) void this.terminator.accept(socket);
    else this.#options.admit(socket);
  }

  #failed(raw: Socket, reason: string): void {
    this.#options.emit({ event: 'handshake.failed', peer: this.#peer(raw), reason });
  }

  #peer(socket: Socket): string {
    return this.#peers.get(socket) ?? peerOf(socket);
  }
}
