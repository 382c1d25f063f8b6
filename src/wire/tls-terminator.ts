import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { AuthPolicy } from '../auth/policy.ts';
import type { CertificateWithKey, ServerCertificateWish } from '../ca/authority.ts';
import { FakeIstiodError } from '../errors.ts';
import type { TlsPreset } from '../session/identity-port.ts';
import { chainError, clientFinding, unverified } from './client-certificate-check.ts';
import { handshakeFailure } from './handshake-failure.ts';
import { tlsManners, type TlsManner } from './tls-preset.ts';

export interface TlsTerminatorOptions {
  /** A certificate for this server, odd in what the wish says. */
  certificate(wish: Partial<ServerCertificateWish>): Promise<CertificateWithKey>;
  /** The roots that client certificates have to lead to, as PEM. */
  rootPem(): Promise<string>;
  /** What client certificates are held against; undefined: none is asked for. */
  policy(): AuthPolicy | undefined;
  date(): Date;
  /** The handshake is done and HTTP/2 agreed on. `certificateUri` is the name in the client's certificate, which was checked. */
  readonly onSecure: (raw: Socket, plain: TLSSocket, certificateUri: string | undefined) => void;
  /** `raw` is the socket that was given; the connection is closed already. */
  readonly onFailure: (raw: Socket, reason: string) => void;
}

const handshakeTimeoutMs = 10_000;

/** Not public in Node: the socket under a TLS socket. */
interface WithParent {
  readonly _parent?: Socket;
}

/** How handshakes that begin now go. */
interface Posture {
  readonly manner: TlsManner;
  readonly asks: 'nothing' | 'certificate' | 'certificate or nothing';
}

/**
 * Turns sockets that speak TLS into sockets that speak what is inside. The certificate is made for the first of them. Whatever changes
 * how handshakes go changes it for those that begin afterwards.
 */
export class TlsTerminator {
  readonly #options: TlsTerminatorOptions;
  #preset: TlsPreset | 'ok' = 'ok';
  #notAfter: Date | undefined;
  #server: Promise<Server> | undefined;
  #asks: Posture['asks'] | undefined;

  constructor(options: TlsTerminatorOptions) {
    this.#options = options;
  }

  /** `ok` also takes back the end that `expire` has set. */
  present(preset: TlsPreset | 'ok'): void {
    this.#preset = preset;
    if (preset === 'ok') this.#notAfter = undefined;
    this.renew();
  }

  /** The certificate ends then. */
  expire(notAfter: Date): void {
    this.#notAfter = notAfter;
    this.renew();
  }

  /** A new certificate for the next handshake. */
  renew(): void {
    this.#server = undefined;
  }

  /** Takes a socket of which nothing has been read, or what has been was put back. */
  async accept(raw: Socket): Promise<void> {
    try {
      const server = await this.#serverNow();
      if (!raw.destroyed) server.emit('connection', raw);
    } catch (error) {
      raw.destroy();
      this.#options.onFailure(raw, `no server certificate: ${FakeIstiodError.from(error).message}`);
    }
  }

  #serverNow(): Promise<Server> {
    const posture = this.#posture();
    if (posture.asks !== this.#asks) this.#server = undefined;
    this.#asks = posture.asks;
    return (this.#server ??= this.#createServer(posture));
  }

  #posture(): Posture {
    const policy = this.#options.policy();
    const manner = tlsManners[this.#preset];
    if (manner.demandsCertificate || policy?.clientCertificate === 'demanded') return { manner, asks: 'certificate' };
    return { manner, asks: policy ? 'certificate or nothing' : 'nothing' };
  }

  async #createServer({ manner, asks }: Posture): Promise<Server> {
    const { certificate, rootPem, date, onFailure } = this.#options;
    const wish = { ...manner.certificate(date()), ...(this.#notAfter ? { notAfter: this.#notAfter } : {}) };
    const { certificatePem, privateKeyPem } = await certificate(wish);
    // @note Not `rejectUnauthorized` where a certificate is optional: Node would turn away who has none as well.
    const clients = asks === 'nothing' ? {} : { ca: await rootPem(), requestCert: true, rejectUnauthorized: asks === 'certificate' };
    const server = createServer({
      cert: certificatePem,
      key: privateKeyPem,
      ...(manner.alpn ? { ALPNProtocols: [manner.alpn] } : {}),
      minVersion: 'TLSv1.2',
      handshakeTimeout: handshakeTimeoutMs,
      ...clients,
    });
    server.on('secureConnection', (socket) => this.#secured(socket, manner));
    server.on('tlsClientError', (error, socket) => {
      socket.destroy();
      const untrusted = chainError(socket);
      onFailure(rawOf(socket), untrusted === undefined ? handshakeFailure(error, manner.alpn) : unverified(untrusted));
    });
    return server;
  }

  #secured(socket: TLSSocket, { alpn }: TlsManner): void {
    socket.on('error', () => undefined);
    // @note What speaks HTTP/2 further on believes ALPN alone.
    if (alpn === undefined) socket.alpnProtocol = 'h2';
    if (socket.alpnProtocol !== 'h2') return this.#refuse(socket, 'the client offers no ALPN protocol; gRPC asks for "h2"');
    const finding = clientFinding(socket, this.#options.policy());
    if (finding && 'reason' in finding) return this.#refuse(socket, unverified(finding.reason));
    this.#options.onSecure(rawOf(socket), socket, finding?.uri);
  }

  #refuse(socket: TLSSocket, reason: string): void {
    socket.destroy();
    this.#options.onFailure(rawOf(socket), reason);
  }
}

function rawOf(socket: TLSSocket): Socket {
  return (socket as WithParent)._parent ?? socket;
}
