import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ClientRequest } from '../protocol/request.ts';
import type { Response, Status } from '../protocol/response.ts';
import type { StreamAcceptor, StreamHandler, StreamPort } from '../session/stream-port.ts';
import { credentialsOf } from './call-credentials.ts';
import type { DiscoveryMethod } from './discovery-methods.ts';
import { deltaCodec } from './delta-codec.ts';
import type { OpenCall } from './open-calls.ts';
import { RequestMemory } from './request-memory.ts';
import { sotwCodec } from './sotw-codec.ts';
import { asCallError, StatusCode } from './status.ts';

/** A client that lets more responses than this wait unread is cut off. Few come that way: to who does not read, pushes wait unselected. */
const maxWaiting = 4096;
/** So many responses wait here while the server is silent before what is new waits unselected. */
const maxFrozen = 16;
const memories = { sotw: new RequestMemory(sotwCodec), delta: new RequestMemory(deltaCodec) };
const clientWentAway: Status = { code: StatusCode.cancelled, message: 'the client went away' };
const clientFinished: Status = { code: StatusCode.ok, message: '' };

/**
 * One xDS gRPC call: bytes on one side, requests and responses on the other.
 *
 * Responses wait here, not yet encoded, while the client does not read (back-pressure) or the server is silent. They keep their
 * order.
 * While a client does not read, nothing is read from it either, and the session is told: it selects what it owes when the client reads
 * again, so that newer state takes the place of older.
 */
export class DiscoveryStream implements StreamPort {
  readonly #call: ServerDuplexStream<Buffer, Buffer>;
  readonly #method: DiscoveryMethod;
  readonly #record: OpenCall;
  #handler: StreamHandler | undefined;
  #waiting: Response[] = [];
  #blocked = false;
  #frozen = false;
  #status: Status | undefined;
  #endedBy: 'client' | 'server' = 'server';
  #over = false;

  constructor(call: ServerDuplexStream<Buffer, Buffer>, method: DiscoveryMethod, record: OpenCall) {
    this.#call = call;
    this.#method = method;
    this.#record = record;
  }

  /** Offers the stream to `streams`, then lets requests in. `onOver` is called once, when the stream is over. */
  open(streams: StreamAcceptor, onOver: () => void): void {
    const call = this.#call;
    const { variant, typeUrl, path } = this.#method;
    const service = typeUrl === undefined ? {} : { service: path.slice(1, path.lastIndexOf('/')) };
    call.on('drain', () => {
      this.#blocked = false;
      this.#flush();
      this.#goOn();
    });
    call.on('cancelled', () => {
      this.#close();
      onOver();
    });
    const { peer, secure, ...credentials } = credentialsOf(call.metadata, this.#record.connection);
    this.#handler = streams.open(
      { variant, peer, secure, ...service, ...(Object.keys(credentials).length > 0 ? { credentials } : {}) },
      this,
    );
    this.#handler?.admitted?.catch((error: unknown) => this.#failed(error));
    call.on('data', (bytes: Buffer) => this.#receive(bytes));
    call.on('end', () => this.#clientFinished());
    if (this.#frozen) call.pause();
  }

  get blocked(): boolean {
    return this.#blocked || (this.#frozen && this.#waiting.length >= maxFrozen);
  }

  send(response: Response): void {
    if (this.#status || this.#over) return;
    this.#waiting.push(response);
    this.#flush();
    if (this.#waiting.length > maxWaiting && !this.#frozen) {
      this.#waiting = [];
      this.end({ code: StatusCode.resourceExhausted, message: `the client does not read: ${maxWaiting} responses wait for it` });
    }
  }

  end(status: Status): void {
    if (this.#status || this.#over) return;
    this.#status = status;
    this.#flush();
  }

  /** Nothing is read or written until `thaw`. */
  freeze(): void {
    this.#frozen = true;
    this.#call.pause();
  }

  thaw(): void {
    this.#frozen = false;
    this.#flush();
    this.#goOn();
  }

  /** Lets requests in again, and what was put off, once the client reads. */
  #goOn(): void {
    if (this.blocked || this.#frozen || this.#over) return;
    this.#call.resume();
    if (!this.#status) this.#guarded(() => this.#handler?.drained?.());
  }

  /** As istiod: who closes its side is answered what it asked for so far, and the stream ends well. */
  #clientFinished(): void {
    // A unary call is over with its response, however long that takes.
    if (this.#method.once) return;
    const finish = (): void => {
      if (this.#status) return;
      this.#endedBy = 'client';
      this.end(clientFinished);
    };
    const admitted = this.#handler?.admitted?.catch(() => undefined) ?? Promise.resolve();
    void admitted.then(() => this.#handler?.settled).then(() => setImmediate(finish));
  }

  #receive(bytes: Buffer): void {
    if (this.#status || !this.#handler) return;
    let request;
    try {
      request = memories[this.#method.variant].read(bytes);
    } catch (error) {
      this.end({ code: StatusCode.internal, message: `grpc: failed to unmarshal the received message: ${textOf(error)}` });
      return;
    }
    const asked = this.#ofThisService(request);
    if (asked) this.#guarded(() => this.#handler?.receive(asked));
  }

  /** The request with the type that its service stands for; undefined if it names another one, which ends the stream. */
  #ofThisService(request: ClientRequest): ClientRequest | undefined {
    const { typeUrl } = this.#method;
    if (typeUrl === undefined || request.typeUrl === typeUrl) return request;
    if (request.typeUrl === '') return { ...request, typeUrl };
    this.end({ code: StatusCode.invalidArgument, message: `${this.#method.path} serves ${typeUrl}, not ${request.typeUrl}` });
    return undefined;
  }

  #flush(): void {
    if (this.#frozen || this.#over) return;
    // What was sent before the end goes out before the status, whether the client reads or not.
    while (this.#waiting.length > 0 && (!this.#blocked || this.#status)) this.#write(this.#waiting.shift() as Response);
    const status = this.#status;
    if (status && this.#waiting.length === 0 && !this.#call.writableEnded) this.#call.emit('error', asCallError(status));
  }

  #write(response: Response): void {
    this.#guarded(() => {
      if (!this.#call.write(this.#method.codec.encodeResponse(response))) this.#block();
      if (this.#method.once) this.end(clientFinished);
    });
  }

  #block(): void {
    this.#blocked = true;
    this.#call.pause();
  }

  /** A defect of ours ends this stream, not the server. */
  #guarded(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#waiting = [];
    this.end({ code: StatusCode.internal, message: `fake-istiod failed: ${textOf(error)}` });
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#waiting = [];
    const status = this.#status ?? this.#record.sentStatus;
    if (status) this.#handler?.closed(this.#endedBy, status);
    else this.#handler?.closed('client', clientWentAway);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
