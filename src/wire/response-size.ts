import type { Resource } from '../protocol/resource.ts';
import type { Response } from '../protocol/response.ts';
import { deltaCodec } from './delta-codec.ts';
import { anyFrame, deltaResourceFrame, type ResourceFrame } from './resource-frame.ts';
import { sotwCodec } from './sotw-codec.ts';

/** The flag byte and the length of a gRPC message. */
const prefixLength = 5;
const codecs = { sotw: sotwCodec, delta: deltaCodec };
const resourcesBytes = { sotw: sumOnce(anyFrame), delta: sumOnce(deltaResourceFrame) };

/** The response as a message, without gRPC's prefix. Never to be changed. */
export function responseMessage(response: Response): Uint8Array {
  return codecs[response.variant].encodeResponse(response).subarray(prefixLength);
}

/** How many bytes `responseMessage` would have, without encoding it: the resources are looked at once for all responses that share them. */
export function responseSize({ variant, version, typeUrl, nonce, resources, removed, controlPlane }: Response): number {
  const ends = [version, typeUrl, nonce].reduce((sum, text) => sum + (text ? fieldLength(text) : 0), 0);
  const controlPlaneBytes = controlPlane === undefined ? 0 : messageLength(fieldLength(controlPlane));
  return ends + controlPlaneBytes + resourcesBytes[variant](resources) + removed.reduce((sum, name) => sum + fieldLength(name), 0);
}

/** A field with a text: its tag (all of ours are below 16), its length, itself. */
function fieldLength(text: string): number {
  return messageLength(Buffer.byteLength(text));
}

/** A field of so many bytes. */
function messageLength(length: number): number {
  return 1 + varintLength(length) + length;
}

function varintLength(value: number): number {
  return value < 0x80 ? 1 : 1 + varintLength(Math.floor(value / 0x80));
}

function sumOnce(frameOf: (resource: Resource) => ResourceFrame): (resources: readonly Resource[]) => number {
  const sums = new WeakMap<readonly Resource[], number>();
  return (resources) => {
    const known = sums.get(resources);
    if (known !== undefined) return known;
    const sum = resources.reduce((total, resource) => total + frameLength(resource, frameOf(resource)), 0);
    sums.set(resources, sum);
    return sum;
  };
}

function frameLength({ value }: Resource, { head, tail }: ResourceFrame): number {
  return head.length + value.length + tail.length;
}
