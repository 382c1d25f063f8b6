import protobuf from 'protobufjs/minimal.js';
import { readMessage, tagOf, WireType } from './message-reader.ts';

/** A `ServerReflectionRequest` (grpc/reflection/v1/reflection.proto). */
export interface ReflectionRequest {
  readonly kind: 'file-by-name' | 'file-of-symbol' | 'list-services' | 'extension';
  readonly name: string;
  readonly host: string;
  /** The request itself, which belongs into its response. */
  readonly bytes: Uint8Array;
}

/** What a `ServerReflectionResponse` says. */
export type ReflectionAnswer =
  | { readonly kind: 'files'; readonly files: readonly Uint8Array[] }
  | { readonly kind: 'services'; readonly names: readonly string[] }
  | { readonly kind: 'error'; readonly code: number; readonly message: string };

/** Throws if `bytes` are no such message. A question that is not known (about extensions) has the kind `extension`. */
export function decodeReflectionRequest(bytes: Uint8Array): ReflectionRequest {
  let kind: ReflectionRequest['kind'] = 'extension';
  let name = '';
  let host = '';
  readMessage(bytes, (reader) => (tag) => {
    if (tag === tagOf(1, WireType.bytes)) host = reader.string();
    else if (tag === tagOf(3, WireType.bytes)) [kind, name] = ['file-by-name', reader.string()];
    else if (tag === tagOf(4, WireType.bytes)) [kind, name] = ['file-of-symbol', reader.string()];
    else if (tag === tagOf(7, WireType.bytes)) [kind, name] = ['list-services', reader.string()];
    else return false;
    return true;
  });
  return { kind, name, host, bytes };
}

export function encodeReflectionResponse(request: ReflectionRequest, answer: ReflectionAnswer): Buffer {
  const writer = protobuf.Writer.create();
  if (request.host) writer.uint32(tagOf(1, WireType.bytes)).string(request.host);
  writer.uint32(tagOf(2, WireType.bytes)).bytes(request.bytes);
  if (answer.kind === 'files') {
    writer.uint32(tagOf(4, WireType.bytes)).fork();
    for (const file of answer.files) writer.uint32(tagOf(1, WireType.bytes)).bytes(file);
  } else if (answer.kind === 'services') {
    writer.uint32(tagOf(6, WireType.bytes)).fork();
    for (const name of answer.names) {
      writer.uint32(tagOf(1, WireType.bytes)).fork().uint32(tagOf(1, WireType.bytes)).string(name).ldelim();
    }
  } else {
    writer.uint32(tagOf(7, WireType.bytes)).fork();
    writer.uint32(tagOf(1, WireType.varint)).int32(answer.code).uint32(tagOf(2, WireType.bytes)).string(answer.message);
  }
  return Buffer.from(writer.ldelim().finish());
}
