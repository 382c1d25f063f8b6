import type { Metadata, ServerInterceptingCall, ServerInterceptor } from '@grpc/grpc-js';
import { FakeIstiodError } from '../errors.ts';
import type { Status } from '../protocol/response.ts';
import type { Connection } from './connections.ts';
import { StatusCode, withEncodedText } from './status.ts';

/** A gRPC call in progress. */
export interface OpenCall {
  readonly connection: Connection;
  /** The status that it ends with, once that is sent; also one that grpc-js sent by itself. */
  readonly sentStatus: Status | undefined;
  end(status: Status): void;
}

/** What grpc-js hands to an interceptor: the call itself, as the innermost interceptor sees it. */
type InterceptedCall = Parameters<ServerInterceptor>[1];
type FrameSerializer = { serializeMessage?: (message: unknown) => Buffer };

/** All calls in progress, and the hooks into grpc-js that every call passes. */
export class OpenCalls {
  readonly #calls = new Map<Metadata, OpenCall>();
  readonly #connectionOf: (call: InterceptedCall) => Connection;
  readonly #framedPaths: ReadonlySet<string>;

  /**
   * @param connectionOf the connection a call came in on
   * @param framedPaths methods whose messages are whole gRPC frames already, shared between calls
   */
  constructor(connectionOf: (call: InterceptedCall) => Connection, framedPaths: ReadonlySet<string>) {
    this.#connectionOf = connectionOf;
    this.#framedPaths = framedPaths;
  }

  /** The call whose handler was given `metadata`; the server may end it. */
  find(metadata: Metadata): OpenCall {
    const call = this.#calls.get(metadata);
    if (!call) throw new FakeIstiodError('internal', 'a call that no interceptor saw');
    return call;
  }

  /** The call whose handler was given `metadata`. From now on the handler ends it, and `endAll` does not. */
  claim(metadata: Metadata): OpenCall {
    const call = this.find(metadata);
    this.#calls.delete(metadata);
    return call;
  }

  /** Ends all calls that nobody claimed. */
  endAll(status: Status): void {
    for (const call of this.#calls.values()) call.end(status);
  }

  /**
   * Wraps methods of the innermost call in place, so that statuses and frames that grpc-js makes by itself pass here as well.
   *
   * @note `serializeMessage` is not public. Where it is missing, grpc-js falls back to the method's serializer and copies.
   */
  readonly interceptor: ServerInterceptor = (method, call) => {
    const sendStatus = call.sendStatus.bind(call);
    let sent: Status | undefined;
    call.sendStatus = (status) => {
      sent ??= { code: status.code ?? StatusCode.ok, message: status.details ?? '' };
      sendStatus(withEncodedText(status));
    };
    if (this.#framedPaths.has(method.path)) shareFrames(call);
    this.#track(call, () => sent);
    return call as ServerInterceptingCall;
  };

  #track(call: InterceptedCall, sentStatus: () => Status | undefined): void {
    const calls = this.#calls;
    const connection = this.#connectionOf(call);
    const start = call.start.bind(call);
    call.start = (listener) => {
      let key: Metadata | undefined;
      start({
        onReceiveMetadata(metadata) {
          key = metadata;
          calls.set(metadata, {
            connection,
            get sentStatus() {
              return sentStatus();
            },
            end: ({ code, message }) => call.sendStatus({ code, details: message }),
          });
          listener.onReceiveMetadata(metadata);
        },
        onReceiveMessage: (message) => listener.onReceiveMessage(message),
        onReceiveHalfClose: () => listener.onReceiveHalfClose(),
        onCancel() {
          listener.onCancel();
          if (key) calls.delete(key);
        },
      });
    };
  }
}

function shareFrames(call: InterceptedCall): void {
  const serializer = call as FrameSerializer;
  if (typeof serializer.serializeMessage === 'function') serializer.serializeMessage = (frame) => frame as Buffer;
}
