import type { FieldDescriptor, FieldKind } from './field-descriptor.ts';

/** An enum of the set: the numbers of its names, in the order of the file. */
export interface EnumShape {
  readonly fullName: string;
  readonly values: ReadonlyMap<string, number>;
  /** Of proto2: only its own numbers are allowed. */
  readonly closed: boolean;
}

/** What a field's descriptor does not say by itself. */
export interface FieldSurroundings {
  /** The full name of its message. */
  readonly owner: string;
  readonly proto3: boolean;
  /** The names of its message's oneofs. */
  readonly oneofs: readonly string[];
  /** Of a map: the message of its entries. */
  readonly entry: MessageShape | undefined;
  /** The message or enum of a full name. */
  readonly lookUp: (fullName: string) => MessageShape | EnumShape;
}

/** A field of a message of the set. Its type is read when it is asked for. */
export class FieldShape {
  /** The message's full name and the field's JSON name. */
  readonly fullName: string;
  /** As the .proto file spells it. */
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  /** Of a map: `message`, like every field that repeats entries. */
  readonly kind: FieldKind;
  /** Of a message or enum: its full name. */
  readonly typeName: string;
  /** A map is not repeated here. */
  readonly repeated: boolean;
  /** Whether a list of numbers is written without a tag for each. */
  readonly packed: boolean;
  /** The oneof that people wrote; undefined for proto3's `optional`. */
  readonly oneof: string | undefined;
  /** Whether a value that equals the default is written nevertheless. */
  readonly hasPresence: boolean;
  /** Of a map: its key and its value, as fields 1 and 2 of an entry. */
  readonly entry: { readonly key: FieldShape; readonly value: FieldShape } | undefined;

  readonly #lookUp: FieldSurroundings['lookUp'];

  constructor(read: FieldDescriptor, { owner, proto3, oneofs, entry, lookUp }: FieldSurroundings) {
    const [key, value] = entry?.fields ?? [];
    this.#lookUp = lookUp;
    this.fullName = `${owner}.${read.jsonName}`;
    this.name = read.name;
    this.jsonName = read.jsonName;
    this.number = read.number;
    this.kind = read.kind;
    this.typeName = read.typeName;
    this.entry = key && value && { key, value };
    this.repeated = read.repeated && !this.entry;
    this.packed = read.packed ?? proto3;
    this.oneof = read.oneof === undefined || read.proto3Optional ? undefined : oneofs[read.oneof];
    this.hasPresence = !read.repeated && (!proto3 || read.kind === 'message' || read.oneof !== undefined);
  }

  /** The message of a field that holds one. */
  get message(): MessageShape | undefined {
    return this.kind === 'message' ? (this.#lookUp(this.typeName) as MessageShape) : undefined;
  }

  /** The enum of a field that holds one. */
  get enumeration(): EnumShape | undefined {
    return this.kind === 'enum' ? (this.#lookUp(this.typeName) as EnumShape) : undefined;
  }
}

/** A message of the set: what its fields are called and how they are written. */
export class MessageShape {
  readonly fullName: string;
  /** In the order of the file. */
  readonly fields: readonly FieldShape[];
  readonly #byName: ReadonlyMap<string, FieldShape>;

  constructor(fullName: string, fields: readonly FieldShape[]) {
    this.fullName = fullName;
    this.fields = fields;
    this.#byName = new Map(fields.flatMap((field) => [[field.name, field] as const, [field.jsonName, field] as const]));
  }

  /** A field by either name that JSON may use: `connectTimeout` and `connect_timeout`. */
  fieldNamed(key: string): FieldShape | undefined {
    return this.#byName.get(key);
  }
}
