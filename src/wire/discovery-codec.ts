import type { ClientRequest } from '../protocol/request.ts';
import type { Response } from '../protocol/response.ts';

/** How the messages of one variant lie on the wire. */
export interface DiscoveryCodec {
  /** Throws if `bytes` are no such message. Fields that the core has no use for are skipped. */
  decodeRequest(bytes: Uint8Array): ClientRequest;
  /** A whole gRPC frame: the five bytes of its prefix, then the message. The same Buffer for equal responses; never to be changed. */
  encodeResponse(response: Response): Buffer;
}
