import type { Reader } from 'protobufjs/minimal.js';
import { readNested, tagOf, WireType } from './message-reader.ts';

/** Values nested deeper than this are refused, as other protobuf implementations do. */
const maxDepth = 100;

/** Reads a `google.protobuf.Struct` that begins here with its length, as plain JSON. */
export function readStruct(reader: Reader, depth = 0): Record<string, unknown> {
  const entries: [string, unknown][] = [];
  readNested(reader, (tag) => {
    if (tag !== tagOf(1, WireType.bytes)) return false;
    entries.push(readEntry(reader, depth));
    return true;
  });
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(entries);
}

function readEntry(reader: Reader, depth: number): [string, unknown] {
  let key = '';
  let value: unknown = null;
  readNested(reader, (tag) => {
    if (tag === tagOf(1, WireType.bytes)) key = reader.string();
    else if (tag === tagOf(2, WireType.bytes)) value = readValue(reader, depth + 1);
    else return false;
    return true;
  });
  return [key, value];
}

function readValue(reader: Reader, depth: number): unknown {
  if (depth > maxDepth) throw new RangeError(`a value nested more than ${maxDepth} deep`);
  let value: unknown = null;
  readNested(reader, (tag) => {
    if (tag === tagOf(1, WireType.varint)) {
      reader.int32();
      value = null;
    } else if (tag === tagOf(2, WireType.double)) value = reader.double();
    else if (tag === tagOf(3, WireType.bytes)) value = reader.string();
    else if (tag === tagOf(4, WireType.varint)) value = reader.bool();
    else if (tag === tagOf(5, WireType.bytes)) value = readStruct(reader, depth);
    else if (tag === tagOf(6, WireType.bytes)) value = readList(reader, depth);
    else return false;
    return true;
  });
  return value;
}

function readList(reader: Reader, depth: number): unknown[] {
  const values: unknown[] = [];
  readNested(reader, (tag) => {
    if (tag !== tagOf(1, WireType.bytes)) return false;
    values.push(readValue(reader, depth + 1));
    return true;
  });
  return values;
}
