import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Status } from '../protocol/response.ts';
import type { StreamAcceptor } from '../session/stream-port.ts';
import type { DiscoveryMethod } from './discovery-methods.ts';
import { DiscoveryStream } from './discovery-stream.ts';
import type { OpenCalls } from './open-calls.ts';

/** The xDS streams of a server. */
export class DiscoveryStreams {
  readonly #streams: StreamAcceptor;
  readonly #open = new Set<DiscoveryStream>();
  #frozen = false;

  constructor(streams: StreamAcceptor) {
    this.#streams = streams;
  }

  /** Takes a call of `method`. */
  accept(method: DiscoveryMethod, calls: OpenCalls, call: ServerDuplexStream<Buffer, Buffer>): void {
    const stream = new DiscoveryStream(call, method, calls.claim(call.metadata));
    this.#open.add(stream);
    if (this.#frozen) stream.freeze();
    stream.open(this.#streams, () => this.#open.delete(stream));
  }

  /** Ends every stream with `status`, after what was sent before. */
  endAll(status: Status): void {
    for (const stream of this.#open) stream.end(status);
  }

  /** No stream reads or writes until `thaw`. */
  freeze(): void {
    this.#frozen = true;
    for (const stream of this.#open) stream.freeze();
  }

  thaw(): void {
    this.#frozen = false;
    for (const stream of this.#open) stream.thaw();
  }
}
