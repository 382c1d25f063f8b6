import { eachField } from './descriptor-fields.ts';

/** How a field's values are written; the names are those of .proto files, by their numbers in `FieldDescriptorProto.Type`. */
const kinds = [
  '',
  'double',
  'float',
  'int64',
  'uint64',
  'int32',
  'fixed64',
  'fixed32',
  'bool',
  'string',
  'group',
  'message',
  'bytes',
  'uint32',
  'enum',
  'sfixed32',
  'sfixed64',
  'sint32',
  'sint64',
] as const;
export type FieldKind = (typeof kinds)[number];

/** One field as its descriptor says it, types not yet looked up. */
export interface FieldDescriptor {
  /** As the .proto file spells it. */
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly kind: FieldKind;
  /** Of a message or enum: the full name. */
  readonly typeName: string;
  readonly repeated: boolean;
  readonly required: boolean;
  /** What the file says about packing, if it says something. */
  readonly packed: boolean | undefined;
  /** Its oneof, as a position in the message's list of them. */
  readonly oneof: number | undefined;
  /** `optional` of proto3: its oneof is not one that people wrote. */
  readonly proto3Optional: boolean;
}

/** Reads a serialized `google.protobuf.FieldDescriptorProto`. */
export function fieldDescriptor(bytes: Uint8Array): FieldDescriptor {
  const field = { name: '', jsonName: '', number: 0, kind: '' as FieldKind, typeName: '', repeated: false, required: false };
  let packed: boolean | undefined;
  let oneof: number | undefined;
  let proto3Optional = false;
  eachField(bytes, (number, reader) => {
    if (number === 1) field.name = reader.string();
    else if (number === 3) field.number = reader.int32();
    else if (number === 4) {
      const label = reader.int32();
      field.repeated = label === 3;
      field.required = label === 2;
    } else if (number === 5) field.kind = kinds[reader.int32()] ?? '';
    else if (number === 6) field.typeName = reader.string().replace(/^\./, '');
    else if (number === 8) packed = packedIn(reader.bytes());
    else if (number === 9) oneof = reader.int32();
    else if (number === 10) field.jsonName = reader.string();
    else if (number === 17) proto3Optional = reader.bool();
    else return false;
    return true;
  });
  return { ...field, packed, oneof, proto3Optional };
}

/** `packed` of a serialized `google.protobuf.FieldOptions`. */
function packedIn(options: Uint8Array): boolean | undefined {
  let packed: boolean | undefined;
  eachField(options, (number, reader) => {
    if (number !== 2) return false;
    packed = reader.bool();
    return true;
  });
  return packed;
}
