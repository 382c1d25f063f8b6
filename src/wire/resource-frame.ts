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
function anyHead({ typeUrl, value }: Pick<Resource, 'typeUrl' | 'value'>): Uint8Array {
  const writer = protobuf.Writer.create();
  if (typeUrl) writer.uint32(tagOf(1, WireType.bytes)).string(typeUrl);
  if (value.length > 0) writer.uint32(tagOf(2, WireType.bytes)).uint32(value.length);
  return writer.finish();
}

const wrapperType = 'type.googleapis.com/envoy.service.discovery.v3.Resource';

/** A resource with a lifetime: SotW has no place for that but a `Resource` inside the Any. */
function wrapped(resource: Resource): ResourceFrame {
  const { before, payload, tail } = resourceFields(resource);
  const length = before.length + payload.length + tail.length;
  const any = protobuf.Writer.create().uint32(tagOf(1, WireType.bytes)).string(wrapperType).uint32(tagOf(2, WireType.bytes)).uint32(length);
  const head = any.finish();
  const field = protobuf.Writer.create()
    .uint32(resourcesTag)
    .uint32(head.length + length)
    .finish();
  return { head: Buffer.concat([field, head, before]), tail };
}

/** `DiscoveryResponse.resources`: an Any each. */
export const anyFrame = madeOnce((resource) => {
  if (resource.ttlMs !== undefined) return wrapped(resource);
  const any = anyHead(resource);
  const field = protobuf.Writer.create()
    .uint32(resourcesTag)
    .uint32(any.length + resource.value.length)
    .finish();
  return { head: Buffer.concat([field, any]), tail: nothing };
});

/** `google.protobuf.Duration` */
function durationBytes(durationMs: number): Uint8Array {
  const writer = protobuf.Writer.create();
  const seconds = Math.floor(durationMs / 1000);
  const nanos = Math.round((durationMs - seconds * 1000) * 1e6);
  if (seconds > 0) writer.uint32(tagOf(1, WireType.varint)).int64(seconds);
  if (nanos > 0) writer.uint32(tagOf(2, WireType.varint)).int32(nanos);
  return writer.finish();
}

/** The fields of a `Resource` (envoy/service/discovery/v3/discovery.proto) around the payload of its Any; a heartbeat has no Any. */
function resourceFields(resource: Resource): { readonly before: Uint8Array; readonly payload: Uint8Array; readonly tail: Uint8Array } {
  const { name, version = '', value, ttlMs, aliases = [], heartbeat = false } = resource;
  const start = protobuf.Writer.create();
  if (version) start.uint32(tagOf(1, WireType.bytes)).string(version);
  const any = heartbeat ? nothing : anyHead(resource);
  if (!heartbeat) start.uint32(tagOf(2, WireType.bytes)).uint32(any.length + value.length);
  const end = protobuf.Writer.create();
  if (name) end.uint32(tagOf(3, WireType.bytes)).string(name);
  for (const alias of aliases) end.uint32(tagOf(4, WireType.bytes)).string(alias);
  if (ttlMs !== undefined) end.uint32(tagOf(6, WireType.bytes)).bytes(durationBytes(ttlMs));
  return { before: Buffer.concat([start.finish(), any]), payload: heartbeat ? nothing : value, tail: end.finish() };
}

/** `DeltaDiscoveryResponse.resources`: a `Resource` each, with its name around the Any. */
export const deltaResourceFrame = madeOnce((resource) => {
  const { before, payload, tail } = resourceFields(resource);
  const field = protobuf.Writer.create()
    .uint32(resourcesTag)
    .uint32(before.length + payload.length + tail.length)
    .finish();
  return { head: Buffer.concat([field, before]), tail };
});
