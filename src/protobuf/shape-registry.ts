import { FakeIstiodError } from '../errors.ts';
import { eachField, nameIn } from './descriptor-fields.ts';
import { descriptorIndex } from './descriptors.ts';
import { fieldDescriptor, type FieldDescriptor } from './field-descriptor.ts';
import { FieldShape, MessageShape, type EnumShape } from './message-shape.ts';
import { nearestTypeName } from './nearest-name.ts';

/** The message of a fully qualified name (`envoy.service.discovery.v3.DiscoveryRequest`); undefined when the set has none. */
export function findMessageShape(fullName: string): MessageShape | undefined {
  if (descriptorIndex().fileOf(fullName) === undefined) return undefined;
  const shape = shapeOf(fullName);
  return shape instanceof MessageShape ? shape : undefined;
}

/**
 * As `findMessageShape`.
 *
 * @throws FakeIstiodError `resource.invalid` for a name that the set lacks; it says the nearest one.
 */
export function messageShape(fullName: string): MessageShape {
  const shape = findMessageShape(fullName);
  if (!shape) throw unknownMessage(fullName);
  return shape;
}

/** That the set has no message of a name. */
export function unknownMessage(fullName: string): FakeIstiodError {
  const near = nearestTypeName(fullName);
  return new FakeIstiodError('resource.invalid', `unknown message type "${fullName}"`, {
    remedy: near ? `Did you mean "${near}"?` : 'See proto/README.md for what the descriptor set holds',
  });
}

/** A message or enum in a file that was looked at, not yet read itself. */
interface Declaration {
  readonly kind: 'message' | 'enum';
  readonly bytes: Uint8Array;
  readonly proto3: boolean;
}

const declarations = new Map<string, Declaration>();
const shapes = new Map<string, MessageShape | EnumShape>();
const filesRead = new Set<string>();

/** What a field's type is: names in descriptors are those of the set. */
function shapeNamed(fullName: string): MessageShape | EnumShape {
  const shape = shapeOf(fullName);
  if (!shape) throw new FakeIstiodError('internal', `the descriptor set lacks ${fullName}`);
  return shape;
}

function shapeOf(fullName: string): MessageShape | EnumShape | undefined {
  const known = shapes.get(fullName);
  if (known) return known;
  const declaration = declarationOf(fullName);
  if (!declaration) return undefined;
  const shape = declaration.kind === 'enum' ? readEnum(fullName, declaration) : readMessage(fullName, declaration);
  shapes.set(fullName, shape);
  return shape;
}

/** Reading a message declares what is nested in it. */
function declarationOf(fullName: string): Declaration | undefined {
  const file = descriptorIndex().fileOf(fullName);
  if (file !== undefined) readFile(file);
  const outer = fullName.slice(0, Math.max(0, fullName.lastIndexOf('.')));
  if (!declarations.has(fullName) && outer !== '' && (file === undefined || descriptorIndex().fileOf(outer) === file)) shapeOf(outer);
  return declarations.get(fullName);
}

function readFile(fileName: string): void {
  if (filesRead.has(fileName)) return;
  filesRead.add(fileName);
  const bytes = descriptorIndex().fileDescriptorBytes(fileName);
  if (!bytes) throw new FakeIstiodError('internal', `the descriptor set lacks ${fileName}`);
  const found: Omit<Declaration, 'proto3'>[] = [];
  let [inPackage, proto3] = ['', false];
  eachField(bytes, (number, reader) => {
    if (number === 2) inPackage = `${reader.string()}.`;
    else if (number === 4) found.push({ kind: 'message', bytes: reader.bytes() });
    else if (number === 5) found.push({ kind: 'enum', bytes: reader.bytes() });
    else if (number === 12) proto3 = reader.string() === 'proto3';
    else return false;
    return true;
  });
  for (const one of found) declarations.set(inPackage + nameIn(one.bytes), { ...one, proto3 });
}

/** @note Extensions and options are left out: nothing that we encode has them. */
function readMessage(fullName: string, { bytes, proto3 }: Declaration): MessageShape {
  const fields: FieldDescriptor[] = [];
  const oneofs: string[] = [];
  const declare = (kind: Declaration['kind'], own: Uint8Array): void =>
    void declarations.set(`${fullName}.${nameIn(own)}`, { kind, bytes: own, proto3 });
  eachField(bytes, (number, reader) => {
    if (number === 2) fields.push(fieldDescriptor(reader.bytes()));
    else if (number === 3) declare('message', reader.bytes());
    else if (number === 4) declare('enum', reader.bytes());
    else if (number === 8) oneofs.push(nameIn(reader.bytes()));
    else return false;
    return true;
  });
  return new MessageShape(
    fullName,
    fields.map((field) => new FieldShape(field, { owner: fullName, proto3, oneofs, entry: entryOf(field), lookUp: shapeNamed })),
  );
}

/** @note The index leaves entries of maps out, and nothing else: so a message that it lacks is one. */
function entryOf({ kind, repeated, typeName }: FieldDescriptor): MessageShape | undefined {
  if (kind !== 'message' || !repeated || descriptorIndex().fileOf(typeName) !== undefined) return undefined;
  return shapeNamed(typeName) as MessageShape;
}

function readEnum(fullName: string, { bytes, proto3 }: Declaration): EnumShape {
  const values = new Map<string, number>();
  eachField(bytes, (number, reader) => {
    if (number !== 2) return false;
    const value = reader.bytes();
    let of = 0;
    eachField(value, (inner, valueReader) => {
      if (inner !== 2) return false;
      of = valueReader.int32();
      return true;
    });
    values.set(nameIn(value), of);
    return true;
  });
  return { fullName, values, closed: !proto3 };
}
