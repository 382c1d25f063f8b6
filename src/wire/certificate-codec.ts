import protobuf, { type Reader } from 'protobufjs/minimal.js';
import type { CertificateRequest } from '../auth/ca-door.ts';
import { readMessage, tagOf, WireType } from './message-reader.ts';
import { readStruct } from './struct-codec.ts';

/** Reads an `IstioCertificateRequest` (istio.io/api security/v1alpha1/ca.proto); throws if `bytes` are none. */
export function decodeCertificateRequest(bytes: Uint8Array): CertificateRequest {
  let csr = '';
  let validitySeconds = 0;
  let impersonated: unknown;
  readMessage(bytes, (reader) => (tag) => {
    if (tag === tagOf(1, WireType.bytes)) csr = reader.string();
    else if (tag === tagOf(3, WireType.varint)) validitySeconds = readInt64(reader);
    else if (tag === tagOf(4, WireType.bytes)) impersonated = readStruct(reader)['ImpersonatedIdentity'];
    else return false;
    return true;
  });
  return { csr, validitySeconds, ...(typeof impersonated === 'string' && impersonated !== '' ? { impersonated } : {}) };
}

/** A number, or an object that has the digits as its text. */
function readInt64(reader: Reader): number {
  return Number(String(reader.int64()));
}

/** `IstioCertificateResponse`. */
export function encodeCertificateResponse(chain: readonly string[]): Buffer {
  const writer = protobuf.Writer.create();
  for (const pem of chain) writer.uint32(tagOf(1, WireType.bytes)).string(pem);
  return Buffer.from(writer.finish());
}
