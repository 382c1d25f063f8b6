import type { TLSSocket } from 'node:tls';
import { checkClientCertificate, type CertificateFinding } from '../auth/client-certificate.ts';
import type { AuthPolicy } from '../auth/policy.ts';

/** What Go says of a chain that does not verify (crypto/x509), by OpenSSL's name of the trouble. */
const goTexts: readonly (readonly [RegExp, string])[] = [
  [/EXPIRED|NOT_YET_VALID/, 'x509: certificate has expired or is not yet valid'],
  [/PURPOSE/, 'x509: certificate specifies an incompatible key usage'],
  [/UNABLE_TO|SELF_SIGNED|ISSUER/, 'x509: certificate signed by unknown authority'],
];

/** Why the chain that a client has shown leads to no root of ours; undefined if it does, or if the client has shown none. */
export function chainError(socket: TLSSocket): string | undefined {
  // The types say Error; it is the code of one.
  const code = socket.authorizationError as unknown;
  if (code === null || code === undefined) return undefined;
  const text = String(code instanceof Error ? ((code as NodeJS.ErrnoException).code ?? code.message) : code);
  return goTexts.find(([pattern]) => pattern.test(text))?.[1] ?? text;
}

/** What becomes of a client by the certificate that it has shown; undefined if it has shown none, or nobody asks for any. */
export function clientFinding(socket: TLSSocket, policy: AuthPolicy | undefined): CertificateFinding | undefined {
  const certificate = policy && socket.getPeerX509Certificate();
  return certificate && checkClientCertificate(certificate, chainError(socket), policy);
}

/** As istiod logs it (istio pkg/spiffe, PeerCertVerifier). */
export function unverified(reason: string): string {
  return `Could not verify certificate: ${reason}`;
}
