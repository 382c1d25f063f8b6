import type { Resource } from '../protocol/resource.ts';
import type { Response } from '../protocol/response.ts';
import { deltaCodec } from './delta-codec.ts';
import { anyForm, deltaResourceForm, fieldLength, textLength, type ResourceForm } from './resource-frame.ts';
import { sameMessage } from './response-encoder.ts';
import { sotwCodec } from './sotw-codec.ts';

/** The flag byte and the length of a gRPC message. */
const prefixLength = 5;
const codecs = { sotw: sotwCodec, delta: deltaCodec };
const resourcesBytes = { sotw: sumOnce(anyForm), delta: sumOnce(deltaResourceForm) };

/** The response as a message, without gRPC's prefix. Never to be changed. */
export function responseMessage(response: Response): Uint8Array {
  return codecs[response.variant].encodeResponse(response).subarray(prefixLength);
}

/** How many bytes `responseMessage` would have, without encoding it: the resources are looked at once for all responses that share them. */
export function responseSize(response: Response): number {
  const known = sizes.get(response.resources);
  if (known && known.response.variant === response.variant && sameMessage(known.response, response)) return known.size;
  const size = measured(response);
  sizes.set(response.resources, { response, size });
  return size;
}

/** The last one of each array of resources: in a push it is the same for all streams. */
const sizes = new WeakMap<readonly Resource[], { readonly response: Response; readonly size: number }>();

function measured({ variant, version, typeUrl, nonce, resources, removed, controlPlane }: Response): number {
  const ends = [version, typeUrl, nonce].reduce((sum, text) => sum + textLength(text), 0);
  const controlPlaneBytes = controlPlane === undefined ? 0 : fieldLength(fieldLength(Buffer.byteLength(controlPlane)));
  return (
    ends +
    controlPlaneBytes +
    resourcesBytes[variant](resources) +
    removed.reduce((sum, name) => sum + fieldLength(Buffer.byteLength(name)), 0)
  );
}

function sumOnce({ lengthOf }: ResourceForm): (resources: readonly Resource[]) => number {
  const sums = new WeakMap<readonly Resource[], number>();
  return (resources) => {
    const known = sums.get(resources);
    if (known !== undefined) return known;
    const sum = resources.reduce((total, resource) => total + lengthOf(resource), 0);
    sums.set(resources, sum);
    return sum;
  };
}
