import type { Writer } from 'protobufjs/minimal.js';
import type { FieldKind } from './field-descriptor.ts';
import type { EnumShape, FieldShape } from './message-shape.ts';

/** A value that is no message, as it is written: integers of 64 bits as `bigint`. */
export type Scalar = string | number | bigint | boolean | Uint8Array;

/** The wire types of what is no message: varint, 64 bits, with a length, 32 bits. */
const wireTypes: Readonly<Partial<Record<FieldKind, number>>> = {
  double: 1,
  fixed64: 1,
  sfixed64: 1,
  string: 2,
  bytes: 2,
  float: 5,
  fixed32: 5,
  sfixed32: 5,
};

/** Writes one value, behind the field's tag if a number is given. */
export function writeScalar(writer: Writer, kind: FieldKind, value: Scalar, fieldNumber?: number): void {
  if (fieldNumber !== undefined) writer.uint32(((fieldNumber << 3) | (wireTypes[kind] ?? 0)) >>> 0);
  const write = writer[kind === 'enum' ? 'int32' : (kind as 'int32')] as (value: unknown) => Writer;
  write.call(writer, typeof value === 'bigint' ? halves(value) : value);
}

/** The two halves that protobufjs takes for an integer of 64 bits; negative ones in two's complement. */
function halves(value: bigint): { readonly low: number; readonly high: number; readonly unsigned: boolean } {
  return { low: Number(BigInt.asIntN(32, value)), high: Number(BigInt.asIntN(32, value >> 32n)), unsigned: false };
}

/** Whether a field without presence is left out for this value. */
export function isDefault(value: Scalar): boolean {
  return typeof value === 'object' ? value.length === 0 : !value && !Number.isNaN(value);
}

/** A scalar of strict canonical JSON. */
export function scalarValue(field: FieldShape, json: unknown): Scalar {
  switch (field.kind) {
    case 'bool':
      return json as boolean;
    case 'string':
      return wellFormed(field, json as string);
    case 'bytes':
      return Buffer.from(json as string, 'base64');
    case 'int64':
    case 'uint64':
    case 'sint64':
    case 'fixed64':
    case 'sfixed64':
      return BigInt(json as string);
    default:
      return Number(json);
  }
}

/** The number of an enum's name, or the number that was given. */
export function enumNumber(field: FieldShape, { values, closed }: EnumShape, json: unknown): number {
  const number = typeof json === 'string' ? values.get(json) : (json as number);
  if (number === undefined || (closed && ![...values.values()].includes(number))) throw invalid(field, json, 'unknown enum value');
  if ((number | 0) !== number) throw invalid(field, json, 'invalid enum number');
  return number;
}

/** The key of a map in its one form; `seen` has those before it. */
export function mapKey(field: FieldShape, key: FieldShape, written: string, seen: Set<string>): string {
  const text = key.kind === 'string' ? wellFormed(field, written) : key.kind === 'bool' ? written : integerKey(field, key, written);
  if (seen.has(text)) throw invalid(field, written, 'duplicate map key');
  seen.add(text);
  return text;
}

function integerKey(field: FieldShape, { kind }: FieldShape, written: string): string {
  const digits = kind.startsWith('u') || kind.startsWith('f') ? /^\d+$/ : /^-?\d+$/;
  if (!digits.test(written)) throw invalid(field, written, `invalid ${kind} map key`);
  return String(BigInt(written));
}

function wellFormed(field: FieldShape, text: string): string {
  if (text.isWellFormed()) return text;
  const [half = ''] = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(text) ?? [];
  throw invalid(field, text, half < '\udc00' ? 'unpaired high surrogate' : 'unpaired low surrogate');
}

function invalid({ fullName }: FieldShape, value: unknown, what: string): Error {
  return new Error(`.${fullName}: ${what}: ${JSON.stringify(value)}`);
}
