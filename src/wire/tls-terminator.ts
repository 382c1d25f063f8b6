import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { ServerIdentity } from '../ca/server-identity.ts';
import { FakeIstiodError } from '../errors.ts';
import { handshakeFailure } from './handshake-failure.ts';

export interface TlsTerminatorOptions {
  readonly identity: ServerIdentity;
  /** The handshake is done and HTTP/2 agreed on. */
  readonly onSecure: (plain: TLSSocket) => void;
  /** `raw` is the socket that was given; the connection is closed already. */
  readonly onFailure: (raw: Socket, reason: string) => void;
}

const handshakeTimeoutMs = 10_000;

/** Not public in Node: the socket under a TLS socket. */
interface WithParent {
  readonly _parent?: Socket;
}

/** Turns sockets that speak TLS into sockets that speak what is inside. The certificate is made for the first of them. */
export class TlsTerminator {
  readonly #options: TlsTerminatorOptions;
  #server: Promise<Server> | undefined;

  constructor(options: TlsTerminatorOptions) {
    this.#options = options;
  }

  /** Takes a socket of which nothing has been read, or what has been was put back. */
  async accept(raw: Socket): Promise<void> {
    this.#server ??= this.#createServer();
    try {
      const server = await this.#server;
      if (!raw.destroyed) server.emit('connection', raw);
    } catch (error) {
      raw.destroy();
      this.#options.onFailure(raw, `no server certificate: ${FakeIstiodError.from(error).message}`);
    }
  }

  async #createServer(): Promise<Server> {
    const { certificatePem, privateKeyPem } = await this.#options.identity.certificate();
    const server = createServer({
      cert: certificatePem,
      key: privateKeyPem,
      ALPNProtocols: ['h2'],
      minVersion: 'TLSv1.2',
      handshakeTimeout: handshakeTimeoutMs,
    });
    server.on('secureConnection', (socket) => this.#secured(socket));
    server.on('tlsClientError', (error, socket) => {
      socket.destroy();
      this.#options.onFailure(rawOf(socket), handshakeFailure(error));
    });
    return server;
  }

  #secured(socket: TLSSocket): void {
    socket.on('error', () => undefined);
    if (socket.alpnProtocol === 'h2') {
      this.#options.onSecure(socket);
      return;
    }
    socket.destroy();
    this.#options.onFailure(rawOf(socket), 'the client offers no ALPN protocol; gRPC asks for "h2"');
  }
}

function rawOf(socket: TLSSocket): Socket {
  return (socket as WithParent)._parent ?? socket;
}
