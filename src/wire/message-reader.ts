import protobuf, { type Reader } from 'protobufjs/minimal.js';

/** The protobuf wire types that our messages use. */
export const WireType = { varint: 0, double: 1, bytes: 2 } as const;

/** What stands before a field on the wire. A known field of another wire type is an unknown field, as in other implementations. */
export function tagOf(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

/** Reads the field whose tag was just read and says true, or leaves it alone and says false. */
export type FieldReader = (tag: number) => boolean;

/**
 * So many fields may a message have, those of messages in it included; a request for every name that one may ask for has half of them. Millions of
 * empty fields would hold up all other clients.
 */
export const maxFields = 200_000;
let fieldsLeft = 0;

/** Reads all of `bytes` as one message; throws an error of protobufjs or a RangeError if they are none. */
export function readMessage(bytes: Uint8Array, fieldReader: (reader: Reader) => FieldReader): void {
  const reader = protobuf.Reader.create(bytes);
  const outer = fieldsLeft;
  fieldsLeft = maxFields;
  try {
    readFields(reader, reader.len, fieldReader(reader));
  } finally {
    fieldsLeft = outer;
  }
}

/** Reads the nested message that begins here with its length. */
export function readNested(reader: Reader, readField: FieldReader): void {
  const length = reader.size();
  readFields(reader, reader.pos + length, readField);
}

function readFields(reader: Reader, end: number, readField: FieldReader): void {
  if (end > reader.len) throw new RangeError('a message is cut off');
  while (reader.pos < end) {
    if (--fieldsLeft < 0) throw new RangeError(`a message of more than ${maxFields} fields`);
    const tag = reader.tag();
    if (!readField(tag)) reader.skipType(tag & 7, undefined, tag >>> 3);
  }
  if (reader.pos > end) throw new RangeError('a field reaches over the end of its message');
}
