import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Status } from '../protocol/response.ts';
import type { Variant } from '../protocol/request.ts';
import type { StreamAcceptor } from '../session/stream-port.ts';
import { deltaCodec } from './delta-codec.ts';
import type { DiscoveryCodec } from './discovery-codec.ts';
import { DiscoveryStream } from './discovery-stream.ts';
import type { OpenCalls } from './open-calls.ts';
import { sotwCodec } from './sotw-codec.ts';

/** The service that Envoy's ADS calls. */
export const aggregatedDiscoveryService = 'envoy.service.discovery.v3.AggregatedDiscoveryService';

/** A streaming method that speaks xDS. */
export interface DiscoveryMethod {
  readonly path: string;
  readonly variant: Variant;
  readonly codec: DiscoveryCodec;
}

/** All methods that speak xDS. */
export const discoveryMethods: readonly DiscoveryMethod[] = [
  { path: `/${aggregatedDiscoveryService}/StreamAggregatedResources`, variant: 'sotw', codec: sotwCodec },
  { path: `/${aggregatedDiscoveryService}/DeltaAggregatedResources`, variant: 'delta', codec: deltaCodec },
];

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
    const stream = new DiscoveryStream(call, method.codec, calls.claim(call.metadata));
    this.#open.add(stream);
    if (this.#frozen) stream.freeze();
    stream.open(this.#streams, method.variant, () => this.#open.delete(stream));
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
