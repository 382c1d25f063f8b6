import type { Reader } from 'protobufjs/minimal.js';
import { readNested, tagOf, WireType } from './message-reader.ts';

/** Values nested deeper than this are refused, as other protobuf implementations do. */
const maxDepth = 100;

/** A struct with more values than this is refused: what is read as JSON takes many times its bytes. Pods have dozens. */
const maxValues = 40_000;

/** Reads a `google.protobuf.Struct` that begins here with its length, as plain JSON. */
export function readStruct(reader: Reader): Record<string, unknown> {
  return new StructReader(reader).struct(0);
}

/** One struct being read. */
class StructReader {
  private left = maxValues;
  private readonly reader: Reader;

  constructor(reader: Reader) {
    this.reader = reader;
  }

  struct(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    readNested(this.reader, (tag) => {
      if (tag !== tagOf(1, WireType.bytes)) return false;
      entries.push(this.entry(depth));
      return true;
    });
    // Not by assignment: a key may be `__proto__`.
    return Object.fromEntries(entries);
  }

  private entry(depth: number): [string, unknown] {
    let key = '';
    let value: unknown = null;
    this.spend();
    readNested(this.reader, (tag) => {
      if (tag === tagOf(1, WireType.bytes)) key = this.reader.string();
      else if (tag === tagOf(2, WireType.bytes)) value = this.value(depth + 1);
      else return false;
      return true;
    });
    return [key, value];
  }

  private value(depth: number): unknown {
    if (depth > maxDepth) throw new RangeError(`a value nested more than ${maxDepth} deep`);
    let value: unknown = null;
    readNested(this.reader, (tag) => {
      if (tag === tagOf(1, WireType.varint)) {
        this.reader.int32();
        value = null;
      } else if (tag === tagOf(2, WireType.double)) value = this.reader.double();
      else if (tag === tagOf(3, WireType.bytes)) value = this.reader.string();
      else if (tag === tagOf(4, WireType.varint)) value = this.reader.bool();
      else if (tag === tagOf(5, WireType.bytes)) value = this.struct(depth);
      else if (tag === tagOf(6, WireType.bytes)) value = this.list(depth);
      else return false;
      return true;
    });
    return value;
  }

  private list(depth: number): unknown[] {
    const values: unknown[] = [];
    readNested(this.reader, (tag) => {
      if (tag !== tagOf(1, WireType.bytes)) return false;
      this.spend();
      values.push(this.value(depth + 1));
      return true;
    });
    return values;
  }

  private spend(): void {
    if (--this.left < 0) throw new RangeError(`a struct of more than ${maxValues} values`);
  }
}
