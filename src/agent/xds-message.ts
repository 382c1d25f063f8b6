import protobuf, { type Reader, type Writer } from 'protobufjs/minimal.js';
import type { Variant } from '../protocol/request.ts';
import { readMessage, readNested, tagOf, WireType } from '../wire/message-reader.ts';

/** What the agent adds to or answers in a stream that it carries. */
export interface OwnRequest {
  readonly typeUrl: string;
  readonly version?: string;
  readonly nonce?: string;
  /** Why a response is refused, or that the workload is not healthy; code 13. */
  readonly error?: string;
}

/** Fields of `DiscoveryRequest` and of `DeltaDiscoveryRequest`. */
const requestFields = {
  sotw: { version: 1, typeUrl: 4, nonce: 5, error: 6 },
  delta: { version: undefined, typeUrl: 2, nonce: 6, error: 7 },
} as const;
/** In both responses. */
const responseTypeUrl = 4;
const responseNonce = 5;
const internal = 13;

/** The type URL of a request; empty if `bytes` are none. */
export function requestTypeUrl(variant: Variant, bytes: Uint8Array): string {
  return textField(bytes, requestFields[variant].typeUrl);
}

/** The type URL of a response; empty if `bytes` are none. What else is in it is passed over, not read. */
export function responseTypeUrlOf(bytes: Uint8Array): string {
  return textField(bytes, responseTypeUrl);
}

/** A request of the agent's own. */
export function encodeRequest(variant: Variant, { typeUrl, version = '', nonce = '', error }: OwnRequest): Buffer {
  const fields = requestFields[variant];
  const writer = protobuf.Writer.create();
  if (fields.version !== undefined && version !== '') writer.uint32(tagOf(fields.version, WireType.bytes)).string(version);
  writer.uint32(tagOf(fields.typeUrl, WireType.bytes)).string(typeUrl);
  if (nonce !== '') writer.uint32(tagOf(fields.nonce, WireType.bytes)).string(nonce);
  if (error !== undefined) encodeStatus(writer.uint32(tagOf(fields.error, WireType.bytes)).fork(), error).ldelim();
  return Buffer.from(writer.finish());
}

/** `google.rpc.Status`. */
function encodeStatus(writer: Writer, message: string): Writer {
  return writer.uint32(tagOf(1, WireType.varint)).int32(internal).uint32(tagOf(2, WireType.bytes)).string(message);
}

/** A response that the agent itself is the client of. */
export interface OwnResponse {
  readonly version: string;
  readonly nonce: string;
  /** The payload of its first resource; such types have one at most. */
  readonly first: Uint8Array | undefined;
  readonly resources: number;
}

/** Reads a response of either variant; throws if `bytes` are none. */
export function decodeResponse(variant: Variant, bytes: Uint8Array): OwnResponse {
  let [version, nonce, resources] = ['', '', 0];
  let first: Uint8Array | undefined;
  readMessage(bytes, (reader) => (tag) => {
    if (tag === tagOf(1, WireType.bytes)) version = reader.string();
    else if (tag === tagOf(responseNonce, WireType.bytes)) nonce = reader.string();
    else if (tag === tagOf(2, WireType.bytes)) {
      const payload = variant === 'sotw' ? anyValue(reader) : resourceValue(reader);
      if (resources++ === 0) first = payload;
    } else return false;
    return true;
  });
  return { version, nonce, first, resources };
}

function anyValue(reader: Reader): Uint8Array | undefined {
  let value: Uint8Array | undefined = new Uint8Array();
  readNested(reader, (tag) => {
    if (tag !== tagOf(2, WireType.bytes)) return false;
    value = reader.bytes();
    return true;
  });
  return value;
}

/** `Resource`: resource = 2, an Any. */
function resourceValue(reader: Reader): Uint8Array | undefined {
  let value: Uint8Array | undefined;
  readNested(reader, (tag) => {
    if (tag !== tagOf(2, WireType.bytes)) return false;
    value = anyValue(reader);
    return true;
  });
  return value;
}

function textField(bytes: Uint8Array, field: number): string {
  let text = '';
  try {
    readMessage(bytes, (reader) => (tag) => {
      if (tag !== tagOf(field, WireType.bytes)) return false;
      text = reader.string();
      return true;
    });
  } catch {
    return '';
  }
  return text;
}
