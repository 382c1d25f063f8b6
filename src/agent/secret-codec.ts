import protobuf, { type Writer } from 'protobufjs/minimal.js';
import { TypeUrl } from '../protocol/resource-type.ts';
import { tagOf, WireType } from '../wire/message-reader.ts';
import type { Secret } from './secret.ts';

/** A response of SDS. */
export interface SecretResponse {
  readonly version: string;
  readonly nonce: string;
  readonly secrets: ReadonlyMap<string, Secret>;
}

/** `DiscoveryResponse` with `envoy.extensions.transport_sockets.tls.v3.Secret` in it. */
export function encodeSecretResponse({ version, nonce, secrets }: SecretResponse): Buffer {
  const writer = protobuf.Writer.create();
  writer.uint32(tagOf(1, WireType.bytes)).string(version);
  for (const [name, secret] of secrets) {
    // google.protobuf.Any
    const any = writer.uint32(tagOf(2, WireType.bytes)).fork();
    any.uint32(tagOf(1, WireType.bytes)).string(TypeUrl.secret);
    any.uint32(tagOf(2, WireType.bytes)).bytes(encodeSecret(name, secret)).ldelim();
  }
  writer.uint32(tagOf(4, WireType.bytes)).string(TypeUrl.secret);
  writer.uint32(tagOf(5, WireType.bytes)).string(nonce);
  return Buffer.from(writer.finish());
}

/** `Secret`: name = 1, tls_certificate = 2 { certificate_chain = 1, private_key = 2 }, validation_context = 4 { trusted_ca = 1 }. */
function encodeSecret(name: string, secret: Secret): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32(tagOf(1, WireType.bytes)).string(name);
  if (secret.kind === 'root') {
    const context = writer.uint32(tagOf(4, WireType.bytes)).fork();
    dataSource(context, 1, secret.root).ldelim();
  } else {
    const certificate = writer.uint32(tagOf(2, WireType.bytes)).fork();
    dataSource(certificate, 1, secret.chain);
    dataSource(certificate, 2, secret.privateKey).ldelim();
  }
  return writer.finish();
}

/** `envoy.config.core.v3.DataSource`: inline_bytes = 2. */
function dataSource(writer: Writer, field: number, text: string): Writer {
  return writer.uint32(tagOf(field, WireType.bytes)).fork().uint32(tagOf(2, WireType.bytes)).bytes(Buffer.from(text)).ldelim();
}
