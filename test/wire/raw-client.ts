import { connect as connectTcp } from 'node:net';
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { messageType } from '../../src/protobuf/message-type.ts';
import { Arrivals } from './arrivals.ts';
import { withResolvers } from './recorded-streams.ts';

/** A message in protobufjs' own object form. */
export type Message = Readonly<Record<string, unknown>>;

/** How a call ended, as it stands in the trailers. */
export interface RawStatus {
  readonly code: number;
  /** `grpc-message`, not decoded. */
  readonly text: string | undefined;
  /** True if there were no headers before the trailers. */
  readonly trailersOnly: boolean;
}

const discovery = 'envoy.service.discovery.v3';
const ads = `/${discovery}.AggregatedDiscoveryService`;
const methods = {
  sotw: { path: `${ads}/StreamAggregatedResources`, request: `${discovery}.DiscoveryRequest`, response: `${discovery}.DiscoveryResponse` },
  delta: {
    path: `${ads}/DeltaAggregatedResources`,
    request: `${discovery}.DeltaDiscoveryRequest`,
    response: `${discovery}.DeltaDiscoveryResponse`,
  },
} as const;

/** A gRPC call over plain HTTP/2, with codecs made from the descriptors: nothing of the server under test is in it. */
export class RawCall {
  readonly responses = new Arrivals<Message>();
  readonly status: Promise<RawStatus>;
  /** The call is gone, with or without a status. */
  readonly closed: Promise<void>;
  readonly http2: ClientHttp2Stream;
  readonly #request: string;
  readonly #response: string;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(http2: ClientHttp2Stream, request: string, response: string) {
    this.http2 = http2;
    this.#request = request;
    this.#response = response;
    const { promise, resolve } = withResolvers<RawStatus>();
    this.status = promise;
    const statusOf = (headers: Record<string, unknown>, trailersOnly: boolean): void =>
      resolve({ code: Number(headers['grpc-status']), text: headers['grpc-message'] as string | undefined, trailersOnly });
    http2.on('response', (headers) => 'grpc-status' in headers && statusOf(headers, true));
    http2.on('trailers', (headers) => statusOf(headers, false));
    http2.on('error', () => undefined);
    http2.on('data', (bytes: Buffer) => this.#receive(bytes));
    this.closed = new Promise((done) => http2.once('close', () => done()));
  }

  send(message: Message): void {
    const type = messageType(this.#request);
    this.sendBytes(Buffer.from(type.encode(type.fromObject(message)).finish()));
  }

  /** Sends any bytes as a gRPC message. */
  sendBytes(message: Buffer): void {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(message.length, 1);
    this.http2.write(Buffer.concat([prefix, message]));
  }

  /** The next response; rejects if the call ends before. */
  async next(): Promise<Message> {
    const ended = this.status.then(({ code, text }) => Promise.reject(new Error(`the call ended with ${code} ${text}`)));
    return Promise.race([this.responses.next(), ended]);
  }

  #receive(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    for (let message = this.#take(); message; message = this.#take()) {
      const type = messageType(this.#response);
      this.responses.push(type.toObject(type.decode(message), { defaults: true, arrays: true }));
    }
  }

  /** The next whole message of what came in. */
  #take(): Buffer | undefined {
    const [first] = this.#chunks;
    if (!first || this.#length < 5) return undefined;
    if (first.length < 5) this.#chunks = [Buffer.concat(this.#chunks)];
    const end = 5 + (this.#chunks[0]?.readUInt32BE(1) ?? 0);
    if (this.#length < end) return undefined;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole.subarray(end)];
    this.#length -= end;
    return whole.subarray(5, end);
  }
}

export interface RawClientOptions {
  /** The root to trust, as PEM. */
  readonly ca?: string;
  /** A client certificate and its key, as PEM. */
  readonly cert?: string;
  readonly key?: string;
  readonly windowSize?: number;
  /** Connects to this Unix socket; the URL is a name only. */
  readonly socketPath?: string;
}

/** A gRPC client that speaks HTTP/2 with Node's own means. */
export class RawClient {
  readonly session: ClientHttp2Session;
  readonly closed: Promise<void>;

  private constructor(session: ClientHttp2Session) {
    this.session = session;
    session.on('error', () => undefined);
    this.closed = new Promise((done) => session.once('close', () => done()));
  }

  /** Connects to `http://…` or `https://…`. Rejects if that does not come about. */
  static async connect(url: string, options: RawClientOptions = {}): Promise<RawClient> {
    const { windowSize, socketPath, ...tls } = options;
    const settings = windowSize === undefined ? {} : { settings: { initialWindowSize: windowSize } };
    const socket = socketPath === undefined ? {} : { createConnection: () => connectTcp(socketPath) };
    const session = connectHttp2(url, { ...tls, ...settings, ...socket });
    const client = new RawClient(session);
    await new Promise<void>((resolve, reject) => {
      session.once('connect', () => resolve());
      session.once('error', reject);
      session.once('close', () => reject(new Error('closed before connected')));
    });
    return client;
  }

  /** Opens an xDS stream, with `more` headers. */
  stream(variant: 'sotw' | 'delta', more: Readonly<Record<string, string>> = {}): RawCall {
    const { path, request, response } = methods[variant];
    return this.call(path, request, response, more);
  }

  /** @param more further headers */
  call(path: string, request: string, response: string, more: Readonly<Record<string, string>> = {}): RawCall {
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...more };
    return new RawCall(this.session.request(headers, { endStream: false }), request, response);
  }

  close(): void {
    this.session.destroy();
  }
}
