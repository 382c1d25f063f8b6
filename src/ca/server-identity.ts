import type { Clock } from '../clock.ts';
import { makeRoot } from './root.ts';
import { makeServerCertificate, type ServerCertificate } from './server-certificate.ts';

/** What a server proves itself with. Made at the first question, the same from then on. */
export interface ServerIdentity {
  /** The root that clients have to trust, as PEM. */
  rootCertificatePem(): Promise<string>;
  certificate(): Promise<ServerCertificate>;
}

/** An identity with a root of its own. `extraNames`: what its certificate is good for beside istiod's names. */
export function createServerIdentity(extraNames: readonly string[], clock: Clock): ServerIdentity {
  let root: ReturnType<typeof makeRoot> | undefined;
  let certificate: Promise<ServerCertificate> | undefined;
  const theRoot = (): ReturnType<typeof makeRoot> => (root ??= makeRoot(clock));
  return {
    rootCertificatePem: async () => (await theRoot()).certificatePem,
    certificate: () => (certificate ??= theRoot().then((made) => makeServerCertificate(made, extraNames, clock))),
  };
}
