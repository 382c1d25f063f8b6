import { join } from 'node:path';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { FakeIstiodError } from '../errors.ts';
import { packageRoot } from './package-root.ts';

const serviceName = 'istio.v1.auth.IstioCertificateService';
let loaded: ServiceDefinition | undefined;

/** What `CreateCertificate` asks, as the gRPC server hands it over. */
export interface CertificateRequest {
  /** The certificate signing request, PEM. */
  readonly csr: string;
  /** Seconds, in decimal digits; zero or less means the server's default. */
  readonly validityDuration: string;
  /** The fields of a `google.protobuf.Struct` in its spelled-out form; null when the client sent none. */
  readonly metadata: { readonly fields: Readonly<Record<string, unknown>> } | null;
}

/**
 * The gRPC definition of `istio.v1.auth.IstioCertificateService`, loaded from `proto/istio-ca.proto` at the first call.
 * It takes a `CertificateRequest` and answers `{ certChain: string[] }`: PEM, the leaf first, then its issuers, the roots last.
 *
 * @note proto-loader brings a protobufjs of its own (7); nothing of it may meet the one that reads descriptors (8).
 */
export function caServiceDefinition(): ServiceDefinition {
  loaded ??= load();
  return loaded;
}

function load(): ServiceDefinition {
  const definition = loadSync(join(packageRoot(), 'proto', 'istio-ca.proto'), {
    keepCase: false,
    longs: String,
    defaults: true,
    enums: String,
  });
  const service = definition[serviceName];
  if (!service || 'format' in service) throw new FakeIstiodError('internal', `proto/istio-ca.proto declares no ${serviceName}`);
  return service;
}
