import type { Clock } from '../clock.ts';
import { createAuthority, type Authority, type CertificateWithKey } from './authority.ts';
import { istiodNames } from './istiod-names.ts';

/** What a server proves itself with. Made at the first question, the same from then on. */
export interface ServerIdentity {
  /** The root that clients have to trust, as PEM. */
  rootCertificatePem(): Promise<string>;
  certificate(): Promise<CertificateWithKey>;
}

/**
 * An identity for `istiodNames` and `extraNames` (DNS names or IP addresses) from `authority`, by default from one with a root of its own.
 */
export function createServerIdentity(
  extraNames: readonly string[],
  clock: Clock,
  authority: Authority = createAuthority({ clock }),
): ServerIdentity {
  let certificate: Promise<CertificateWithKey> | undefined;
  return {
    rootCertificatePem: () => authority.rootPem(),
    certificate: () => (certificate ??= authority.serverCertificate({ names: [...new Set([...istiodNames, ...extraNames])] })),
  };
}
