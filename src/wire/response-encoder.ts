import protobuf from 'protobufjs/minimal.js';
import { sameNames, type Resource } from '../protocol/resource.ts';
import type { Response } from '../protocol/response.ts';
import { tagOf, WireType } from './message-reader.ts';
import type { ResourceForm } from './resource-frame.ts';

/** A response as a whole gRPC frame, and where in it the resources lie. */
interface EncodedResponse {
  readonly response: Response;
  readonly frame: Buffer;
  readonly resourcesStart: number;
  readonly resourcesEnd: number;
}

/** The flag byte and the length of a gRPC message (gRPC doc/PROTOCOL-HTTP2.md, "Length-Prefixed-Message"). */
const prefixLength = 5;

/**
 * An encoder of responses. Both variants have the same fields here (1 version, 2 resources, 4 type URL, 5 nonce, and delta 6 removed
 * names); only the resources are wrapped differently, as `form` has it.
 *
 * Bytes are made once: for one array of resources the last frame is kept. An equal response gets the same Buffer, one that differs
 * in its nonce or version gets a copy of the resources' bytes with other ends.
 *
 * @param controlPlaneField the number of `control_plane`, which is another one in each variant
 */
export function responseEncoder(form: ResourceForm, controlPlaneField: number): (response: Response) => Buffer {
  const encoded = new WeakMap<readonly Resource[], EncodedResponse>();
  return (response) => {
    const known = encoded.get(response.resources);
    if (known && sameMessage(known.response, response)) return known.frame;
    const fresh = encode(
      response,
      known?.frame.subarray(known.resourcesStart, known.resourcesEnd) ?? resourceBytes(response.resources, form),
      responseTail(response, controlPlaneField),
    );
    encoded.set(response.resources, fresh);
    return fresh.frame;
  };
}

/** True if both have the same bytes but for their resources. */
export function sameMessage(a: Response, b: Response): boolean {
  if (a === b) return true;
  return (
    a.nonce === b.nonce &&
    a.version === b.version &&
    a.typeUrl === b.typeUrl &&
    a.controlPlane === b.controlPlane &&
    sameNames(a.removed, b.removed)
  );
}

function resourceBytes(resources: readonly Resource[], form: ResourceForm): Buffer {
  const bytes = Buffer.allocUnsafe(resources.reduce((sum, resource) => sum + form.lengthOf(resource), 0));
  let at = 0;
  for (const resource of resources) at = form.write(resource, bytes, at);
  return bytes;
}

function encode(response: Response, resources: Buffer, tail: Uint8Array): EncodedResponse {
  const start = protobuf.Writer.create();
  if (response.version) start.uint32(tagOf(1, WireType.bytes)).string(response.version);
  const head = start.finish();
  const length = head.length + resources.length + tail.length;
  const prefix = Buffer.alloc(prefixLength);
  prefix.writeUInt32BE(length, 1);
  const resourcesStart = prefixLength + head.length;
  return {
    response,
    frame: Buffer.concat([prefix, head, resources, tail]),
    resourcesStart,
    resourcesEnd: resourcesStart + resources.length,
  };
}

function responseTail({ typeUrl, nonce, removed, controlPlane }: Response, controlPlaneField: number): Uint8Array {
  const writer = protobuf.Writer.create();
  if (typeUrl) writer.uint32(tagOf(4, WireType.bytes)).string(typeUrl);
  if (nonce) writer.uint32(tagOf(5, WireType.bytes)).string(nonce);
  for (const name of removed) writer.uint32(tagOf(6, WireType.bytes)).string(name);
  if (controlPlane !== undefined) {
    writer.uint32(tagOf(controlPlaneField, WireType.bytes)).fork();
    writer.uint32(tagOf(1, WireType.bytes)).string(controlPlane).ldelim();
  }
  return writer.finish();
}
