import protobuf, { type ReflectionObject, type Type } from 'protobufjs/light.js';
import descriptor from 'protobufjs/ext/descriptor.js';
import type { IDescriptorProto, IFileDescriptorProto } from 'protobufjs/ext/descriptor.js';
import { FakeIstiodError } from '../errors.ts';
import { descriptorIndex } from './descriptors.ts';
import { nearestTypeName } from './nearest-name.ts';

/** Stands in for `google.protobuf.Any` in every loaded message: the same bytes, but no reader opens it by itself. */
const opaqueAny = '.fake_istiod.OpaqueAny';
const anyName = 'google.protobuf.Any';

const root = new protobuf.Root();
root
  .define('fake_istiod')
  .add(new protobuf.Type('OpaqueAny').add(new protobuf.Field('typeUrl', 1, 'string')).add(new protobuf.Field('value', 2, 'bytes')));
const loadedFiles = new Set<string>();
const types = new Map<string, Type | undefined>([[anyName, root.lookupType(opaqueAny)]]);

/**
 * The reflected message of a fully qualified name (`envoy.service.discovery.v3.DiscoveryRequest`). Only the files that
 * its fields need are loaded. Undefined when the set has no such message.
 *
 * @note Fields of type `google.protobuf.Any` are opaque: `{ typeUrl: string, value: Uint8Array }`.
 */
export function findMessageType(fullName: string): Type | undefined {
  if (!types.has(fullName)) types.set(fullName, loadType(fullName));
  return types.get(fullName);
}

/**
 * As `findMessageType`.
 *
 * @throws FakeIstiodError `resource.invalid` for a name that the set lacks; it says the nearest one.
 */
export function messageType(fullName: string): Type {
  const type = findMessageType(fullName);
  if (type) return type;
  const near = nearestTypeName(fullName);
  throw new FakeIstiodError('resource.invalid', `unknown message type "${fullName}"`, {
    remedy: near ? `Did you mean "${near}"?` : 'See proto/README.md for what the descriptor set holds',
  });
}

/** Whether a reflected type is the stand-in for `google.protobuf.Any`. */
export function isAny(type: Type): boolean {
  return type === types.get(anyName);
}

function loadType(fullName: string): Type | undefined {
  const index = descriptorIndex();
  const file = index.fileOf(fullName);
  if (file === undefined) return undefined;
  loadFile(file);
  root.resolveAll();
  const found = root.lookup(`.${fullName}`, [protobuf.Type]);
  return found instanceof protobuf.Type ? found : undefined;
}

/** Adds a file to the root, and then those that declare the types of its fields (not those for its options alone). */
function loadFile(fileName: string): void {
  const pending = [fileName];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (loadedFiles.has(next)) continue;
    loadedFiles.add(next);
    const bytes = descriptorIndex().fileDescriptorBytes(next);
    if (!bytes) throw new FakeIstiodError('internal', `the descriptor set lacks ${next}`);
    const file = descriptor.FileDescriptorProto.decode(bytes) as IFileDescriptorProto;
    for (const message of file.messageType ?? []) pending.push(...filesOfFields(message));
    addToRoot(file);
  }
}

function filesOfFields(message: IDescriptorProto): string[] {
  const files = (message.nestedType ?? []).flatMap(filesOfFields);
  for (const field of message.field ?? []) {
    if (!field.typeName) continue;
    if (field.typeName === `.${anyName}`) field.typeName = opaqueAny;
    const file = descriptorIndex().fileOf(field.typeName.slice(1));
    if (file !== undefined) files.push(file);
  }
  return files;
}

/** @note Extensions and options are left out: nothing that we encode has them. */
function addToRoot(file: IFileDescriptorProto): void {
  const edition = file.syntax === 'proto3' ? 'proto3' : 'proto2';
  const namespace = file.package ? root.define(file.package) : root;
  const messages = (file.messageType ?? []).map((message) => protobuf.Type.fromDescriptor(message, edition));
  const enums = (file.enumType ?? []).map((enumeration) => protobuf.Enum.fromDescriptor(enumeration, edition));
  for (const declared of [...messages, ...enums]) namespace.add(declared);
  messages.forEach(keepFullName);
}

/** @note protobufjs spells a full name anew each time it is asked, protojson asks for every value: a third of the time to encode. */
function keepFullName(object: ReflectionObject): void {
  Object.defineProperty(object, 'fullName', { value: object.fullName });
  if (object instanceof protobuf.Type) object.nestedArray.forEach(keepFullName);
}
