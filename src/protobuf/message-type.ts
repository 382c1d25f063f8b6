import protobuf, { type Type } from 'protobufjs/light.js';
import { unknownMessage } from './shape-registry.ts';
import { registeredType } from './type-registry.ts';

/**
 * The reflected message of a fully qualified name (`envoy.service.discovery.v3.DiscoveryRequest`). Undefined when the set has no such
 * message. The types of its fields are loaded as its fields are resolved (`field.resolve()`).
 *
 * @note Fields of type `google.protobuf.Any` are opaque: `{ typeUrl: string, value: Uint8Array }`.
 */
export function findMessageType(fullName: string): Type | undefined {
  const found = registeredType(fullName);
  return found instanceof protobuf.Type ? found : undefined;
}

/**
 * As `findMessageType`.
 *
 * @throws FakeIstiodError `resource.invalid` for a name that the set lacks; it says the nearest one.
 */
export function messageType(fullName: string): Type {
  const type = findMessageType(fullName);
  if (type) return type;
  throw unknownMessage(fullName);
}

/** Whether a reflected type is the stand-in for `google.protobuf.Any`. */
export function isAny(type: Type): boolean {
  return type === registeredType('google.protobuf.Any');
}
