import protobuf, { type Reader } from 'protobufjs/minimal.js';

/** Reads the value of a field, which stands next in `reader`, and says true; or leaves it alone and says false. */
export type TakeField = (fieldNumber: number, reader: Reader) => boolean;

/** Goes over the fields of one serialized message of `google/protobuf/descriptor.proto`, in which all are varints or have a length. */
export function eachField(bytes: Uint8Array, take: TakeField): void {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (!take(tag >>> 3, reader)) reader.skipType(tag & 7);
  }
}

/** The name of a serialized message, enum or field: in all of them it is field 1. */
export function nameIn(bytes: Uint8Array): string {
  let name = '';
  eachField(bytes, (field, reader) => {
    if (field !== 1) return false;
    name = reader.string();
    return true;
  });
  return name;
}
