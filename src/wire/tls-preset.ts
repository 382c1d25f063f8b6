import type { ServerCertificateWish } from '../ca/authority.ts';
import type { TlsPreset } from '../session/identity-port.ts';

/** How TLS handshakes go. */
export interface TlsManner {
  /** What the server's certificate says other than it should. */
  certificate(now: Date): Partial<ServerCertificateWish>;
  /** What is offered by ALPN; undefined: nothing, and HTTP/2 is spoken all the same. */
  readonly alpn: 'h2' | 'http/1.1' | undefined;
  /** Who shows no certificate of ours is sent away by an alert. */
  readonly demandsCertificate: boolean;
}

const dayMs = 86_400_000;
const proper: TlsManner = { certificate: () => ({}), alpn: 'h2', demandsCertificate: false };

function days(now: Date, count: number): Date {
  return new Date(now.getTime() + count * dayMs);
}

/** The manner of each preset; `ok` is istiod's. */
export const tlsManners: Readonly<Record<TlsPreset | 'ok', TlsManner>> = {
  ok: proper,
  'unknown-ca': { ...proper, certificate: () => ({ signer: 'unknown' }) },
  'wrong-san': { ...proper, certificate: () => ({ names: ['somebody-else.example'] }) },
  expired: { ...proper, certificate: (now) => ({ notBefore: days(now, -2), notAfter: days(now, -1) }) },
  'not-yet-valid': { ...proper, certificate: (now) => ({ notBefore: days(now, 1), notAfter: days(now, 2) }) },
  'no-alpn': { ...proper, alpn: undefined },
  'alpn-http1': { ...proper, alpn: 'http/1.1' },
  'client-cert-demanded': { ...proper, demandsCertificate: true },
};
