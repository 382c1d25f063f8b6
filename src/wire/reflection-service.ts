import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { DescriptorIndex } from '../protobuf/descriptors.ts';
import type { ByteMethod } from './grpc-server.ts';
import { decodeReflectionRequest, encodeReflectionResponse, type ReflectionAnswer, type ReflectionRequest } from './reflection-codec.ts';
import { asCallError, nameRequestRefusal, StatusCode } from './status.ts';

type Call = ServerDuplexStream<Buffer, Buffer>;

/** Both say the same in other packages. */
const reflectionServices = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'];

/**
 * Server reflection: our descriptors as they are, loaded at the first request. `services` tells what is served.
 *
 * @note Our own: the library for it decodes and encodes the whole set again (a fifth of a second, 95 MB), while here the bytes of the
 * files pass through.
 */
export function reflectionMethods(services: () => readonly string[]): readonly ByteMethod[] {
  return reflectionServices.map((service) => ({ path: `/${service}/ServerReflectionInfo`, handle: (call) => reflect(call, services) }));
}

function reflect(call: Call, services: () => readonly string[]): void {
  const known = new Set<string>();
  call.on('data', (bytes: Buffer) => {
    const refusal = nameRequestRefusal(bytes);
    if (refusal) return void call.emit('error', asCallError(refusal));
    call.pause();
    void answer(bytes, known, services).then(
      (message) => {
        if (call.writable) call.write(message);
        call.resume();
      },
      (error: unknown) => call.emit('error', asCallError({ code: StatusCode.internal, message: `reflection failed: ${String(error)}` })),
    );
  });
  call.on('end', () => call.end());
}

async function answer(bytes: Buffer, known: Set<string>, services: () => readonly string[]): Promise<Buffer> {
  const request = decodeReflectionRequest(bytes);
  if (request.kind === 'list-services') return encodeReflectionResponse(request, { kind: 'services', names: services() });
  const { descriptorIndex } = await import('../protobuf/descriptors.ts');
  return encodeReflectionResponse(request, lookUp(request, descriptorIndex(), known));
}

function lookUp(request: ReflectionRequest, index: DescriptorIndex, known: Set<string>): ReflectionAnswer {
  switch (request.kind) {
    case 'file-by-name':
      return files(index.fileDescriptorBytes(request.name) && request.name, request.name, index, known);
    case 'file-of-symbol':
      return files(fileOfSymbol(request.name, index), request.name, index, known);
    default:
      // Extensions are only options of fields and files here; clients do without.
      return { kind: 'error', code: StatusCode.notFound, message: 'extensions are not indexed' };
  }
}

/** The file that declares a type or service, or one of its fields or methods. */
function fileOfSymbol(symbol: string, index: DescriptorIndex): string | undefined {
  return index.fileOf(symbol) ?? index.fileOf(symbol.slice(0, Math.max(symbol.lastIndexOf('.'), 0)));
}

/** A file and all that it needs, but for what this client was sent before. */
function files(file: string | undefined, asked: string, index: DescriptorIndex, known: Set<string>): ReflectionAnswer {
  if (file === undefined) return { kind: 'error', code: StatusCode.notFound, message: `not found: ${asked}` };
  const found = new Set([file]);
  for (const name of found) {
    for (const dependency of index.dependenciesOf(name)) if (!known.has(dependency)) found.add(dependency);
  }
  for (const name of found) known.add(name);
  return { kind: 'files', files: [...found].map((name) => index.fileDescriptorBytes(name) ?? new Uint8Array(0)) };
}
