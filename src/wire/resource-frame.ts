import type { Resource } from '../protocol/resource.ts';
import { tagOf, WireType } from './message-reader.ts';

/** How a resource stands in a response of one variant: the field with its tag. */
export interface ResourceForm {
  /** In bytes. */
  lengthOf(resource: Resource): number;
  /** Writes it into `into` from `at` on, and gives the place behind it. */
  write(resource: Resource, into: Buffer, at: number): number;
}

const resourcesTag = tagOf(2, WireType.bytes);
const wrapperType = 'type.googleapis.com/envoy.service.discovery.v3.Resource';

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

function writeVarint(value: number, into: Buffer, at: number): number {
  let place = at;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) into[place++] = (rest % 0x80) | 0x80;
  into[place++] = rest;
  return place;
}

/** A field of so many bytes: its tag (all of ours are below 16), its length, themselves. */
export function fieldLength(length: number): number {
  return 1 + varintLength(length) + length;
}

function writeFieldHead(field: number, length: number, into: Buffer, at: number): number {
  into[at] = tagOf(field, WireType.bytes);
  return writeVarint(length, into, at + 1);
}

/** A text that is empty is left out, as protobuf does. */
export function textLength(text: string): number {
  return text === '' ? 0 : fieldLength(Buffer.byteLength(text));
}

function writeText(field: number, text: string, into: Buffer, at: number): number {
  if (text === '') return at;
  const start = writeFieldHead(field, Buffer.byteLength(text), into, at);
  return start + into.write(text, start);
}

function bytesLength(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : fieldLength(bytes.length);
}

function writeBytes(field: number, bytes: Uint8Array, into: Buffer, at: number): number {
  if (bytes.length === 0) return at;
  const start = writeFieldHead(field, bytes.length, into, at);
  into.set(bytes, start);
  return start + bytes.length;
}

/** A `google.protobuf.Any`. */
function anyLength({ typeUrl, value }: Resource): number {
  return textLength(typeUrl) + bytesLength(value);
}

function writeAny({ typeUrl, value }: Resource, into: Buffer, at: number): number {
  return writeBytes(2, value, into, writeText(1, typeUrl, into, at));
}

/** A `google.protobuf.Duration`: whole seconds, and the rest in nanoseconds. */
function durationParts(durationMs: number): { readonly seconds: number; readonly nanos: number } {
  const seconds = Math.floor(durationMs / 1000);
  return { seconds, nanos: Math.round((durationMs - seconds * 1000) * 1e6) };
}

function durationLength(durationMs: number): number {
  const { seconds, nanos } = durationParts(durationMs);
  return (seconds > 0 ? 1 + varintLength(seconds) : 0) + (nanos > 0 ? 1 + varintLength(nanos) : 0);
}

function writeDuration(field: number, durationMs: number, into: Buffer, at: number): number {
  let place = writeFieldHead(field, durationLength(durationMs), into, at);
  const { seconds, nanos } = durationParts(durationMs);
  for (const [number, value] of [seconds, nanos].entries()) {
    if (value === 0) continue;
    into[place] = tagOf(number + 1, WireType.varint);
    place = writeVarint(value, into, place + 1);
  }
  return place;
}

const noAliases: readonly string[] = [];

/** The fields of a `Resource` (envoy/service/discovery/v3/discovery.proto); a heartbeat has no Any. */
function fieldsLength(resource: Resource): number {
  const { name, version = '', ttlMs, aliases = noAliases, heartbeat = false } = resource;
  let length = textLength(version) + (heartbeat ? 0 : fieldLength(anyLength(resource))) + textLength(name);
  for (const alias of aliases) length += fieldLength(Buffer.byteLength(alias));
  return ttlMs === undefined ? length : length + fieldLength(durationLength(ttlMs));
}

function writeFields(resource: Resource, into: Buffer, at: number): number {
  const { name, version = '', ttlMs, aliases = noAliases, heartbeat = false } = resource;
  let place = writeText(1, version, into, at);
  if (!heartbeat) place = writeAny(resource, into, writeFieldHead(2, anyLength(resource), into, place));
  place = writeText(3, name, into, place);
  for (const alias of aliases) {
    place = writeFieldHead(4, Buffer.byteLength(alias), into, place);
    place += into.write(alias, place);
  }
  return ttlMs === undefined ? place : writeDuration(6, ttlMs, into, place);
}

/** A field of resources whose content `lengthOf` measures and `write` writes. */
function formOf(inner: ResourceForm): ResourceForm {
  return {
    lengthOf: (resource) => fieldLength(inner.lengthOf(resource)),
    write(resource, into, at) {
      into[at] = resourcesTag;
      return inner.write(resource, into, writeVarint(inner.lengthOf(resource), into, at + 1));
    },
  };
}

/**
 * `DiscoveryResponse.resources`: an Any each. A resource with a lifetime has no place for that in SotW but as a `Resource` inside the Any.
 */
export const anyForm: ResourceForm = formOf({
  lengthOf: (resource) =>
    resource.ttlMs === undefined ? anyLength(resource) : textLength(wrapperType) + fieldLength(fieldsLength(resource)),
  write(resource, into, at) {
    if (resource.ttlMs === undefined) return writeAny(resource, into, at);
    const start = writeText(1, wrapperType, into, at);
    return writeFields(resource, into, writeFieldHead(2, fieldsLength(resource), into, start));
  },
});

/** `DeltaDiscoveryResponse.resources`: a `Resource` each, with its name around the Any. */
export const deltaResourceForm: ResourceForm = formOf({ lengthOf: fieldsLength, write: writeFields });
