import type { ServiceDefinition } from '@grpc/grpc-js';

/** The gRPC definition of `istio.v1.auth.IstioCertificateService`, loaded from `proto/istio-ca.proto` at the first call. */
export function caServiceDefinition(): ServiceDefinition {
  throw new Error('not yet');
}
