import type { Type } from 'protobufjs';

/**
 * The reflected message of a fully qualified name (`envoy.service.discovery.v3.DiscoveryRequest`). Only its dependency
 * closure is loaded. Undefined when the set has no such message.
 *
 * @note Fields of type `google.protobuf.Any` are opaque: `{ typeUrl: string, value: Uint8Array }`.
 */
export function findMessageType(fullName: string): Type | undefined {
  throw new Error(`not yet: ${fullName}`);
}

/** As `findMessageType`; a name that the set lacks is a `FakeIstiodError` that names the nearest one. */
export function messageType(fullName: string): Type {
  throw new Error(`not yet: ${fullName}`);
}
