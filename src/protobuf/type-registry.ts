import protobuf, { type Enum, type Namespace, type Type } from 'protobufjs/light.js';
import descriptor from 'protobufjs/ext/descriptor.js';
import type { IFileDescriptorProto } from 'protobufjs/ext/descriptor.js';
import { FakeIstiodError } from '../errors.ts';
import { descriptorIndex } from './descriptors.ts';

/** Stands in for `google.protobuf.Any` in every message: the same bytes, but no reader opens it by itself. */
const opaqueAny = new protobuf.Type('OpaqueAny')
  .add(new protobuf.Field('typeUrl', 1, 'string'))
  .add(new protobuf.Field('value', 2, 'bytes'));
const anyName = 'google.protobuf.Any';

const root = new protobuf.Root();
root.define('fake_istiod').add(opaqueAny);

/** A message or enum at the top of a file that was read; it is built when somebody asks for it or for what is in it. */
interface Declaration {
  readonly namespace: Namespace;
  build(): Type | Enum;
}

const readFiles = new Set<string>();
const declarations = new Map<string, Declaration>();
/** What was built, nested ones too, by full name. */
const built = new Map<string, Type | Enum>([[anyName, opaqueAny]]);

/**
 * The message or enum of a full name, built at the first question. The types of its fields are built when the fields are resolved, which
 * protobufjs does when a message is first read or written: a listener needs a tenth of what its fields could lead to.
 */
export function registeredType(fullName: string): Type | Enum | undefined {
  const known = built.get(fullName);
  if (known) return known;
  const file = descriptorIndex().fileOf(fullName);
  if (file === undefined) return undefined;
  readFile(file);
  build(nameAtTop(fullName));
  return built.get(fullName);
}

/** @note Extensions and options are left out: nothing that we encode has them. */
function readFile(fileName: string): void {
  if (readFiles.has(fileName)) return;
  readFiles.add(fileName);
  const bytes = descriptorIndex().fileDescriptorBytes(fileName);
  if (!bytes) throw new FakeIstiodError('internal', `the descriptor set lacks ${fileName}`);
  const file = descriptor.FileDescriptorProto.decode(bytes) as IFileDescriptorProto;
  const edition = file.syntax === 'proto3' ? 'proto3' : 'proto2';
  const namespace = file.package ? root.define(file.package) : root;
  const declare = (name: string | null | undefined, make: () => Type | Enum): void =>
    void declarations.set(file.package ? `${file.package}.${name}` : `${name}`, { namespace, build: make });
  for (const message of file.messageType ?? []) declare(message.name, () => protobuf.Type.fromDescriptor(message, edition));
  for (const enumeration of file.enumType ?? []) declare(enumeration.name, () => protobuf.Enum.fromDescriptor(enumeration, edition));
}

/** The declaration at the top of its file that `fullName` is, or is nested in. */
function nameAtTop(fullName: string): string {
  let name = fullName;
  while (!declarations.has(name) && name.includes('.')) name = name.slice(0, name.lastIndexOf('.'));
  return name;
}

/** @note protobufjs resolves features only for a whole root (`resolveAll`), together with every field. This is the first half of it. */
interface FeatureResolver {
  readonly _edition?: string;
  _resolveFeaturesRecursive(edition: string): void;
}

function build(name: string): void {
  const declaration = declarations.get(name);
  if (!declaration || built.has(name)) return;
  const type = declaration.build();
  declaration.namespace.add(type);
  const resolver = root as unknown as FeatureResolver;
  resolver._resolveFeaturesRecursive(resolver._edition ?? 'proto2');
  register(type);
}

/** @note protobufjs spells a full name anew each time it is asked, protojson asks for every value: a third of the time to encode. */
function register(type: Type | Enum): void {
  const { fullName } = type;
  Object.defineProperty(type, 'fullName', { value: fullName });
  built.set(fullName.slice(1), type);
  if (!(type instanceof protobuf.Type)) return;
  Object.defineProperty(type, 'lookupTypeOrEnum', { value: typeOfField });
  compileOneByOne(type);
  for (const nested of type.nestedArray) if (nested instanceof protobuf.Type || nested instanceof protobuf.Enum) register(nested);
}

/** What a field of a message is looked up with: names in descriptors are full and begin with a dot. */
function typeOfField(name: string): Type | Enum {
  const found = registeredType(name.slice(1));
  if (!found) throw new FakeIstiodError('internal', `the descriptor set lacks ${name}`);
  return found;
}

/** @note protobufjs compiles five functions when the first of them is called (`Type.setup`); who only writes needs one. */
function compileOneByOne(type: Type): void {
  type.encode = (...args) => {
    const types = type.fieldsArray.map((field) => field.resolve().resolvedType);
    type.encode = protobuf.encoder(type)({ Writer: protobuf.Writer, types, util: protobuf.util }) as unknown as Type['encode'];
    return type.encode(...args);
  };
}
