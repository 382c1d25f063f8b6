import type { X509Certificate } from 'node:crypto';
import { parseSpiffeId, trustDomainOf } from '../ca/spiffe-id.ts';
import type { Caller } from './caller.ts';
import type { Credentials } from './credentials.ts';
import type { AuthPolicy } from './policy.ts';

/** What the handshake makes of a client certificate: the name to go by, or why the connection ends. */
export type CertificateFinding = { readonly uri: string } | { readonly reason: string };

/**
 * What istiod looks at when a client shows a certificate, beyond its chain: exactly one URI among its names, of a trust domain that it
 * knows (istio security/pkg/pki/util, spiffe.PeerCertVerifier). Whatever fails here ends the connection before any gRPC status.
 *
 * @param chainError why the chain does not lead to a root of ours; undefined if it does
 */
export function checkClientCertificate(
  certificate: X509Certificate,
  chainError: string | undefined,
  { trustDomains }: AuthPolicy,
): CertificateFinding {
  const uris = urisOf(certificate);
  if (uris.length !== 1) return { reason: `peer certificate does not contain 1 URI type SAN, detected ${uris.length}` };
  const uri = uris[0] as string;
  const trustDomain = trustDomainOf(uri);
  if (trustDomain === undefined) return { reason: `the URI ${uri} of the peer certificate is no SPIFFE id` };
  if (!trustDomains.includes(trustDomain)) return { reason: `no cert pool found for trust domain ${trustDomain}` };
  return chainError === undefined ? { uri } : { reason: chainError };
}

/** The URIs among a certificate's names; Node gives them in one text, quoted where they hold a comma. */
function urisOf({ subjectAltName }: X509Certificate): string[] {
  const names = (subjectAltName ?? '').match(/(?:[^,"]|"(?:\\.|[^"\\])*")+/g) ?? [];
  return names
    .map((name) => name.trim())
    .filter((name) => name.startsWith('URI:'))
    .map((name) => unquoted(name.slice('URI:'.length)));
}

function unquoted(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** The caller behind a client certificate, or why there is none in istiod's words. */
export function callerOfCertificate({ certificateUri }: Credentials): Caller | string {
  if (certificateUri === undefined) return 'no verified chain is found';
  const identity = parseSpiffeId(certificateUri);
  return identity
    ? { identity, by: 'client certificate' }
    : `the identity ${certificateUri} is not of the form spiffe://<trust domain>/ns/<namespace>/sa/<service account>`;
}
