import protobuf from 'protobufjs/minimal.js';
import type { Resource } from '../protocol/resource.ts';
import { tagOf, WireType } from './message-reader.ts';

/** What stands around the payload of a resource in a response; the payload itself is not copied. */
export interface ResourceFrame {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

const resourcesTag = tagOf(2, WireType.bytes);
const nothing = new Uint8Array(0);

/** Makes frames with `make`, each resource's once. */
function madeOnce(make: (resource: Resource) => ResourceFrame): (resource: Resource) => ResourceFrame {
  const frames = new WeakMap<Resource, ResourceFrame>();
  return (resource) => {
    const known = frames.get(resource);
    if (known) return known;
    const frame = make(resource);
    frames.set(resource, frame);
    return frame;
  };
}

/** The fields of an Any but for its last bytes, the payload. */
function anyHead({ typeUrl, value }: Resource): Uint8Array {
  const writer = protobuf.Writer.create();
  if (typeUrl) writer.uint32(tagOf(1, WireType.bytes)).string(typeUrl);
  if (value.length > 0) writer.uint32(tagOf(2, WireType.bytes)).uint32(value.length);
  return writer.finish();
}

/** `DiscoveryResponse.resources`: an Any each. */
export const anyFrame = madeOnce((resource) => {
  const any = anyHead(resource);
  const field = protobuf.Writer.create()
    .uint32(resourcesTag)
    .uint32(any.length + resource.value.length)
    .finish();
  return { head: Buffer.concat([field, any]), tail: nothing };
});

/** `DeltaDiscoveryResponse.resources`: a `Resource` each, with its name around the Any. */
export const deltaResourceFrame = madeOnce((resource) => {
  const { name, version = '', value } = resource;
  const any = anyHead(resource);
  const start = protobuf.Writer.create();
  if (version) start.uint32(tagOf(1, WireType.bytes)).string(version);
  start.uint32(tagOf(2, WireType.bytes)).uint32(any.length + value.length);
  const before = Buffer.concat([start.finish(), any]);
  const tail = name ? protobuf.Writer.create().uint32(tagOf(3, WireType.bytes)).string(name).finish() : nothing;
  const field = protobuf.Writer.create()
    .uint32(resourcesTag)
    .uint32(before.length + value.length + tail.length)
    .finish();
  return { head: Buffer.concat([field, before]), tail };
});
