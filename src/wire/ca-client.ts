import { Metadata, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import type { Clock } from '../clock.ts';
import { istiodClient, type IstiodTarget } from './istiod-client.ts';
import { readMessage, tagOf, WireType } from './message-reader.ts';

/** Where the CA is and what is asked of it. */
export interface CaCall {
  readonly istiod: IstiodTarget;
  /** PEM. */
  readonly csr: string;
  readonly validitySeconds: number;
  /** Without `Bearer`; undefined shows none. */
  readonly token: string | undefined;
  /** The header `clusterid`. */
  readonly clusterId: string | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `CertSigner` of the request's metadata; left out if absent. */
  readonly certSigner?: string;
  /** How long an answer may take; absent: as long as the connection lives. */
  readonly deadlineMs?: number;
  /** Tells when nobody waits any longer. */
  readonly clock: Clock;
  /** Ends the call. */
  readonly signal?: AbortSignal;
}

/** The answer of the CA, PEM texts in its order, or the status that the call ended with. */
export type CaAnswer = { readonly chain: readonly string[] } | { readonly code: number; readonly text: string };

const path = '/istio.v1.auth.IstioCertificateService/CreateCertificate';

/** Calls CreateCertificate once, as pilot-agent does (istio security/pkg/nodeagent/caclient/providers/citadel). Never rejects. */
export async function askCa(call: CaCall): Promise<CaAnswer> {
  const { deadlineMs, clock, signal } = call;
  const client = istiodClient(call.istiod);
  const request = encodeCertificateRequest(call);
  return new Promise<CaAnswer>((resolve) => {
    const off: (() => void)[] = [];
    const running = client.makeUnaryRequest(
      path,
      (bytes: Buffer) => bytes,
      decodeCertificateResponse,
      request,
      headersOf(call),
      (error: ServiceError | null, chain?: readonly string[]) => {
        off.forEach((each) => each());
        resolve(error ? { code: error.code, text: error.details } : { chain: chain ?? [] });
      },
    );
    const cancel = (): void => running.cancel();
    signal?.addEventListener('abort', cancel);
    off.push(() => signal?.removeEventListener('abort', cancel));
    if (deadlineMs === undefined) return;
    const late = (): void => {
      resolve({ code: 4, text: `no answer within ${deadlineMs / 1_000} s` });
      cancel();
    };
    off.push(clock.after(deadlineMs, late));
  }).finally(() => client.close());
}

function headersOf({ token, clusterId, headers = {} }: CaCall): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  if (clusterId !== undefined) metadata.set('clusterid', clusterId);
  return metadata;
}

/** `IstioCertificateRequest`: csr = 1, validity_duration = 3, metadata = 4, a Struct (istio.io/api security/v1alpha1/ca.proto). */
function encodeCertificateRequest({ csr, validitySeconds, certSigner }: CaCall): Buffer {
  const writer = protobuf.Writer.create();
  writer.uint32(tagOf(1, WireType.bytes)).string(csr).uint32(tagOf(3, WireType.varint)).int64(validitySeconds);
  if (certSigner !== undefined) {
    const entry = writer.uint32(tagOf(4, WireType.bytes)).fork().uint32(tagOf(1, WireType.bytes)).fork();
    entry.uint32(tagOf(1, WireType.bytes)).string('CertSigner');
    entry.uint32(tagOf(2, WireType.bytes)).fork().uint32(tagOf(3, WireType.bytes)).string(certSigner).ldelim();
    entry.ldelim().ldelim();
  }
  return Buffer.from(writer.finish());
}

/** `IstioCertificateResponse`: cert_chain = 1, repeated. */
function decodeCertificateResponse(bytes: Buffer): readonly string[] {
  const chain: string[] = [];
  readMessage(bytes, (reader) => (tag) => {
    if (tag !== tagOf(1, WireType.bytes)) return false;
    chain.push(reader.string());
    return true;
  });
  return chain;
}
