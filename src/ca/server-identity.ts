import type { Clock } from '../clock.ts';
import { createAuthority, type Authority, type CertificateWithKey, type ServerCertificateWish } from './authority.ts';
import { istiodNames } from './istiod-names.ts';

/** What a server proves itself with. */
export interface ServerIdentity {
  /** The root that clients have to trust, as PEM. */
  rootCertificatePem(): Promise<string>;
  /** Made at the first question, the same from then on; but a new one each time if it is to be odd in some way. */
  certificate(oddities?: Partial<ServerCertificateWish>): Promise<CertificateWithKey>;
}

/**
 * An identity for `istiodNames` and `extraNames` (DNS names or IP addresses) from `authority`, by default from one with a root of its own.
 */
export function createServerIdentity(
  extraNames: readonly string[],
  clock: Clock,
  authority: Authority = createAuthority({ clock }),
): ServerIdentity {
  const names = [...new Set([...istiodNames, ...extraNames])];
  let certificate: Promise<CertificateWithKey> | undefined;
  return {
    rootCertificatePem: () => authority.rootPem(),
    certificate(oddities = {}) {
      if (Object.keys(oddities).length > 0) return authority.serverCertificate({ names, ...oddities });
      return (certificate ??= authority.serverCertificate({ names }));
    },
  };
}
