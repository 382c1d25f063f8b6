import protobuf, { type Type } from 'protobufjs/light.js';
import { FakeIstiodError } from '../errors.ts';
import { nearestTypeName } from './nearest-name.ts';
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
  const near = nearestTypeName(fullName);
  throw new FakeIstiodError('resource.invalid', `unknown message type "${fullName}"`, {
    remedy: near ? `Did you mean "${near}"?` : 'See proto/README.md for what the descriptor set holds',
  });
}

/** Whether a reflected type is the stand-in for `google.protobuf.Any`. */
export function isAny(type: Type): boolean {
  return type === registeredType('google.protobuf.Any');
}
