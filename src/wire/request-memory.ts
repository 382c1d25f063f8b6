import type { ClientRequest } from '../protocol/request.ts';
import type { DiscoveryCodec } from './discovery-codec.ts';

/** So many requests are remembered, none longer than this. */
const places = 16;
const longest = 4096;

/**
 * Reads requests, and the same bytes once: many proxies accept the same response in the same words. What comes of them is one object then, by
 * which those who handle it know that they have handled it before.
 */
export class RequestMemory {
  readonly #codec: DiscoveryCodec;
  readonly #known: ({ readonly bytes: Buffer; readonly request: ClientRequest } | undefined)[] = [];

  constructor(codec: DiscoveryCodec) {
    this.#codec = codec;
  }

  /** The request with its bytes. Throws if they are none. */
  read(bytes: Buffer): ClientRequest {
    const place = bytes.length % places;
    const known = this.#known[place];
    if (known?.bytes.length === bytes.length && known.bytes.equals(bytes)) return known.request;
    const request = { ...this.#codec.decodeRequest(bytes), bytes };
    // Who tells its node says something of its own.
    if (bytes.length <= longest && !request.node) this.#known[place] = { bytes, request };
    return request;
  }
}
