import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import protobuf from 'protobufjs/minimal.js';
import type { Clock } from '../clock.ts';

/** Where the CA is and what is asked of it. */
export interface CaCall {
  readonly host: string;
  readonly port: number;
  /** What the server's certificate must end in, PEM. */
  readonly rootPem: string;
  /** PEM. */
  readonly csr: string;
  readonly validitySeconds: number;
  /** Without `Bearer`; undefined shows none. */
  readonly token: string | undefined;
  /** The header `clusterid`. */
  readonly clusterId: string | undefined;
  /** Tells when nobody waits any longer. */
  readonly clock: Clock;
}

/** The answer of the CA, PEM texts in its order, or the status that the call ended with. */
export type CaAnswer = { readonly chain: readonly string[] } | { readonly code: number; readonly text: string };

const path = '/istio.v1.auth.IstioCertificateService/CreateCertificate';
const serverName = 'istiod.istio-system.svc';
const deadlineMs = 5_000;
const deadlineExceeded = { code: 4, text: `no answer within ${deadlineMs / 1_000} s` };

/** Calls CreateCertificate over TLS once, as pilot-agent does (istio security/pkg/nodeagent/caclient/providers/citadel). Never rejects. */
export function askCa({ host, port, rootPem, csr, validitySeconds, token, clusterId, clock }: CaCall): Promise<CaAnswer> {
  const client = new Client(`${host}:${port}`, credentials.createSsl(Buffer.from(rootPem)), {
    'grpc.ssl_target_name_override': serverName,
    'grpc.default_authority': serverName,
  });
  const headers = new Metadata();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (clusterId !== undefined) headers.set('clusterid', clusterId);
  const request = encodeRequest(csr, validitySeconds);
  return new Promise<CaAnswer>((resolve) => {
    const onAnswer = (error: ServiceError | null, chain?: readonly string[]): void => {
      callOff();
      resolve(error ? { code: error.code, text: error.details } : { chain: chain ?? [] });
    };
    const call = client.makeUnaryRequest(path, (bytes: Buffer) => bytes, decodeResponse, request, headers, onAnswer);
    const callOff = clock.after(deadlineMs, () => {
      resolve(deadlineExceeded);
      call.cancel();
    });
  }).finally(() => client.close());
}

/** `IstioCertificateRequest`: csr = 1, validity_duration = 3 (istio.io/api security/v1alpha1/ca.proto). */
function encodeRequest(csr: string, validitySeconds: number): Buffer {
  return Buffer.from(protobuf.Writer.create().uint32(10).string(csr).uint32(24).int64(validitySeconds).finish());
}

/** `IstioCertificateResponse`: cert_chain = 1, repeated. */
function decodeResponse(bytes: Buffer): readonly string[] {
  const reader = protobuf.Reader.create(bytes);
  const chain: string[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 10) chain.push(reader.string());
    else reader.skipType(tag & 7);
  }
  return chain;
}
