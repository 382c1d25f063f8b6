import type { AuthPolicy } from './policy.ts';

/** How a call ends: a gRPC status. */
export interface RefusalStatus {
  readonly code: number;
  readonly message: string;
}

/** gRPC status codes used here (grpc/grpc doc/statuscodes.md). */
const unknown = 2;
const permissionDenied = 7;
const resourceExhausted = 8;
const unauthenticated = 16;

/** An xDS stream whose caller nobody knows. Opaque on purpose: the reason is in the log and the events alone. */
export function xdsRefusal({ texts }: Pick<AuthPolicy, 'texts'>): RefusalStatus {
  return { code: texts === 'old' ? unknown : unauthenticated, message: 'authentication failure' };
}

/** A certificate request whose caller nobody knows (istio security/pkg/server/ca/server.go). */
export const caRefusal: RefusalStatus = { code: unauthenticated, message: 'request authenticate failure' };

/** A known caller who wants a certificate for somebody else, without being trusted to (istio security/pkg/server/ca/server.go). */
export const impersonationRefusal: RefusalStatus = { code: unauthenticated, message: 'request impersonation authentication failure' };

/** A caller who is known but is not who its node says. */
export function identityRefusal(message: string): RefusalStatus {
  return { code: permissionDenied, message };
}

/** More new streams than istiod lets in (istio pilot/pkg/xds/ads.go:WaitForRequestLimit). */
export const rateLimited: RefusalStatus = {
  code: resourceExhausted,
  message: 'request rate limit exceeded: rate: Wait(n=1) would exceed context deadline',
};
