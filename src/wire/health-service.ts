import type { ServerDuplexStream } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import type { ByteMethod } from './grpc-server.ts';
import { readMessage, tagOf, WireType } from './message-reader.ts';
import { asCallError, nameRequestRefusal, StatusCode } from './status.ts';
import type { HealthSource } from './xds-server-options.ts';

type Call = ServerDuplexStream<Buffer, Buffer>;

export const healthService = 'grpc.health.v1.Health';

/** `HealthCheckResponse.ServingStatus` (grpc/health/v1/health.proto). */
const ServingStatus = { serving: 1, notServing: 2, serviceUnknown: 3 } as const;

/**
 * The gRPC health service. `services` are the names it knows beside the empty one, which stands for the whole server.
 *
 * @note Our own: the library for it parses a .proto at its import, more than all of this costs, and holds states instead of asking.
 */
export function healthMethods(health: HealthSource, services: readonly string[]): readonly ByteMethod[] {
  const isKnown = (service: string): boolean => service === '' || services.includes(service);
  const status = (): number => (health.isReady() ? ServingStatus.serving : ServingStatus.notServing);
  return [
    { path: `/${healthService}/Check`, handle: (call) => answer(call, (service) => (isKnown(service) ? response(status()) : undefined)) },
    { path: `/${healthService}/List`, handle: (call) => answer(call, () => listResponse(['', ...services], status())) },
    {
      path: `/${healthService}/Watch`,
      handle: (call) => watch(call, (service) => (isKnown(service) ? status() : ServingStatus.serviceUnknown), health),
    },
  ];
}

/** Answers the one request of a unary call; undefined means that the service is unknown. */
function answer(call: Call, respond: (service: string) => Buffer | undefined): void {
  call.once('data', (bytes: Buffer) => {
    const service = serviceOf(call, bytes);
    if (service === undefined) return;
    const message = respond(service);
    if (!message) return void call.emit('error', asCallError({ code: StatusCode.notFound, message: 'unknown service' }));
    call.write(message);
    call.end();
  });
}

/** Tells the state now and whenever it changes, until the client goes away. */
function watch(call: Call, status: (service: string) => number, health: HealthSource): void {
  call.once('data', (bytes: Buffer) => {
    const service = serviceOf(call, bytes);
    if (service === undefined) return;
    let told: number | undefined;
    const tell = (): void => {
      const current = status(service);
      if (current !== told && call.writable) call.write(response(current));
      told = current;
    };
    tell();
    call.once('cancelled', health.onChange?.(tell) ?? (() => undefined));
  });
}

/** The name in a request; undefined if it is not one, which ends the call. */
function serviceOf(call: Call, request: Buffer): string | undefined {
  let service = '';
  const refusal = nameRequestRefusal(request);
  if (refusal) {
    call.emit('error', asCallError(refusal));
    return undefined;
  }
  try {
    readMessage(request, (reader) => (tag) => {
      if (tag !== tagOf(1, WireType.bytes)) return false;
      service = reader.string();
      return true;
    });
    return service;
  } catch {
    call.emit('error', asCallError({ code: StatusCode.internal, message: 'grpc: failed to unmarshal the received message' }));
    return undefined;
  }
}

function response(status: number): Buffer {
  return Buffer.from(protobuf.Writer.create().uint32(tagOf(1, WireType.varint)).int32(status).finish());
}

function listResponse(services: readonly string[], status: number): Buffer {
  const writer = protobuf.Writer.create();
  for (const service of services) {
    writer.uint32(tagOf(1, WireType.bytes)).fork();
    writer.uint32(tagOf(1, WireType.bytes)).string(service).uint32(tagOf(2, WireType.bytes)).bytes(response(status));
    writer.ldelim();
  }
  return Buffer.from(writer.finish());
}
