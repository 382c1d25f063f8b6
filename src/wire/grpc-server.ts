import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import type { Socket } from 'node:net';
import type { Status } from '../protocol/response.ts';
import type { Connection, Endpoints } from './connections.ts';
import { OpenCalls } from './open-calls.ts';
import { asCallError, StatusCode } from './status.ts';

/** A method as this room serves it: bytes in, bytes out. Every kind of gRPC method can be served as a stream both ways. */
export interface ByteMethod {
  /** `/package.Service/Method` */
  readonly path: string;
  /** What is written are whole gRPC frames, the same Buffer for many calls. */
  readonly framed?: boolean;
  handle(call: ServerDuplexStream<Buffer, Buffer>): void;
}

export interface GrpcServerOptions {
  readonly maxMessageBytes: number;
  readonly connectionBetween: (endpoints: Endpoints) => Connection;
}

/** istiod allows so many streams on one connection (ISTIO_GPRC_MAXSTREAMS). */
const maxStreams = 100_000;

/** Not public in grpc-js: looks up what serves a path. */
interface WithHandlers {
  _retrieveHandler?: (path: string) => object | null;
}

/** gRPC over connections that somebody else accepted. */
export class GrpcServer {
  readonly calls: OpenCalls;
  readonly #server: Server;
  #injector: ReturnType<Server['createConnectionInjector']> | undefined;
  readonly #services = new Map<string, Set<string>>();
  readonly #framedPaths = new Set<string>();

  constructor({ maxMessageBytes, connectionBetween }: GrpcServerOptions) {
    this.calls = new OpenCalls((call) => connectionBetween(call.getConnectionInfo()), this.#framedPaths);
    this.#server = new Server({
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': maxMessageBytes,
      'grpc.max_concurrent_streams': maxStreams,
      'grpc.enable_channelz': 0,
      interceptors: [this.calls.interceptor],
    });
    this.#answerUnknown();
  }

  /** Full names of the services that are served. */
  services(): readonly string[] {
    return [...this.#services.keys()];
  }

  add(method: ByteMethod): void {
    const { service, name } = split(method.path);
    const names = this.#services.get(service) ?? new Set();
    this.#services.set(service, names.add(name));
    if (method.framed) this.#framedPaths.add(method.path);
    // With shared frames grpc-js asks for no serialization; if it does after all, it adds the prefix by itself.
    const serialize = (bytes: Buffer): Buffer => (method.framed ? bytes.subarray(5) : bytes);
    this.#server.register(
      method.path,
      (call: ServerDuplexStream<Buffer, Buffer>) => method.handle(call),
      serialize,
      (bytes: Buffer) => bytes,
      'bidi',
    );
  }

  /** Serves HTTP/2 on `socket`. */
  admit(socket: Socket): void {
    this.#injector ??= this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    this.#injector.injectConnection(socket);
  }

  /**
   * Tells all clients to go (GOAWAY); a connection closes with its last call. Connections admitted later are not concerned.
   *
   * @note Not `drain`, whose timer would also cut connections of the next start.
   */
  dismiss(): void {
    this.#injector?.destroy();
    this.#injector = undefined;
  }

  /** @note grpc-js answers an unknown method by itself, in other words than istiod and past our status encoder. */
  #answerUnknown(): void {
    const lookUp = this.#server as unknown as WithHandlers;
    const retrieve = lookUp._retrieveHandler?.bind(this.#server);
    if (!retrieve) return;
    const bytes = (value: Buffer): Buffer => value;
    lookUp._retrieveHandler = (path) =>
      retrieve(path) ?? {
        type: 'bidi',
        path,
        serialize: bytes,
        deserialize: bytes,
        func: (call: ServerDuplexStream<Buffer, Buffer>) => call.emit('error', asCallError(this.#unknown(path))),
      };
  }

  /** As grpc-go words it (server.go:handleStream). */
  #unknown(path: string): Status {
    const { service, name } = split(path);
    if (!service) return { code: StatusCode.unimplemented, message: `malformed method name: ${JSON.stringify(path)}` };
    const message = this.#services.has(service) ? `unknown method ${name} for service ${service}` : `unknown service ${service}`;
    return { code: StatusCode.unimplemented, message };
  }
}

function split(path: string): { readonly service: string; readonly name: string } {
  const slash = path.lastIndexOf('/');
  return { service: path.slice(1, Math.max(slash, 1)), name: path.slice(slash + 1) };
}
