import type { Field, Type } from 'protobufjs/light.js';

const indexes = new WeakMap<Type, ReadonlyMap<string, Field>>();

/** The fields of a message by every name that JSON may use: `connectTimeout` and `connect_timeout`. */
export function fieldsByName(type: Type): ReadonlyMap<string, Field> {
  let index = indexes.get(type);
  if (!index) {
    const fields = type.fieldsArray.map((field) => field.resolve());
    const entries = fields.flatMap((field) => [field.name, field.jsonName, protoName(field)].map((name) => [name, field] as const));
    indexes.set(type, (index = new Map(entries)));
  }
  return index;
}

/** A field's name as its .proto file spells it. */
export function protoName(field: Field): string {
  return field.protoName ?? field.name;
}

/** A reflected type's full name without the leading dot. */
export function fullNameOf(type: { readonly fullName: string }): string {
  return type.fullName.replace(/^\./, '');
}
