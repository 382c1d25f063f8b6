import protobuf, { type Writer } from 'protobufjs/minimal.js';
import type { FieldShape, MessageShape } from './message-shape.ts';
import { enumNumber, isDefault, mapKey, scalarValue, writeScalar, type Scalar } from './scalar-bytes.ts';
import { spelledOut } from './well-known-bytes.ts';

/** Of messages in each other, as in protoc and Envoy. */
const maxDepth = 100;
const lengthDelimited = 2;

/**
 * The bytes of a message from its canonical JSON, in the strict form that `messageJson` gives: lowerCamel keys, integers in decimal
 * digits, every `Any` closed. Written as protobufjs writes it: fields by number, no defaults where a field has no presence.
 *
 * @throws Error for what JSON can say and a message cannot hold: half a surrogate pair, a map key given twice, too deep a nesting.
 */
export function messageBytes(shape: MessageShape, json: unknown): Uint8Array {
  const writer = protobuf.Writer.create();
  writeMessage(writer, shape, json, 0);
  return writer.finish();
}

function writeMessage(writer: Writer, shape: MessageShape, json: unknown, depth: number): void {
  if (depth > maxDepth) throw new Error('max depth exceeded');
  const fields = spelledOut(shape, json);
  for (const field of fieldsIn(shape, fields)) {
    const value = fields[field.jsonName];
    if (field.entry) writeMap(writer, field, field.entry, value as Readonly<Record<string, unknown>>, depth);
    else if (field.repeated) writeList(writer, field, value as readonly unknown[], depth);
    else writeSingular(writer, field, value, depth, field.hasPresence);
  }
}

/** The fields that are there, in the order in which they are written. Of a message's many fields a few are, mostly. */
function fieldsIn(shape: MessageShape, json: Readonly<Record<string, unknown>>): readonly FieldShape[] {
  const found: FieldShape[] = [];
  for (const key of Object.keys(json)) {
    const field = shape.fieldNamed(key);
    if (field?.jsonName === key) found.push(field);
  }
  return found.sort((a, b) => a.number - b.number);
}

/** `always`: also if the value is the default. */
function writeSingular(writer: Writer, field: FieldShape, value: unknown, depth: number, always: boolean): void {
  const { message } = field;
  if (message) {
    writer.uint32((field.number << 3) | lengthDelimited).fork();
    writeMessage(writer, message, value, depth + 1);
    writer.ldelim();
    return;
  }
  const scalar = scalarOf(field, value);
  if (always || !isDefault(scalar)) writeScalar(writer, field.kind, scalar, field.number);
}

function scalarOf(field: FieldShape, value: unknown): Scalar {
  const { enumeration } = field;
  return enumeration ? enumNumber(field, enumeration, value) : scalarValue(field, value);
}

function writeList(writer: Writer, field: FieldShape, items: readonly unknown[], depth: number): void {
  if (items.length === 0) return;
  const packs = field.packed && !['message', 'string', 'bytes'].includes(field.kind);
  if (!packs) return items.forEach((item) => writeSingular(writer, field, item, depth, true));
  writer.uint32((field.number << 3) | lengthDelimited).fork();
  for (const item of items) writeScalar(writer, field.kind, scalarOf(field, item));
  writer.ldelim();
}

function writeMap(
  writer: Writer,
  field: FieldShape,
  { key, value }: NonNullable<FieldShape['entry']>,
  map: Readonly<Record<string, unknown>>,
  depth: number,
): void {
  const seen = new Set<string>();
  for (const [written, item] of Object.entries(map)) {
    const text = mapKey(field, key, written, seen);
    writer.uint32((field.number << 3) | lengthDelimited).fork();
    writeScalar(writer, key.kind, key.kind === 'bool' ? text === 'true' : scalarValue(key, text), key.number);
    writeSingular(writer, value, item, depth, true);
    writer.ldelim();
  }
}
