import { plaintextAddresses } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** 15010 (istio#29080). */
export const tlsPlaintextPort: Rule = {
  id: 'tls-plaintext-port',
  area: 'connection',
  cause: 'the proxy speaks TLS to a port that speaks plaintext: 15010, or a server without TLS',
  symptom: '`ssl.connection_error` grows; `WRONG_VERSION_NUMBER`, in Go `first record does not look like a TLS handshake`',
  rulesOut: 'discoveryAddress with port 15012',
  next: 'fake-istiod inspect MANIFEST; which discoveryAddress won: mesh config, PROXY_CONFIG or annotation',
  words: /WRONG_VERSION_NUMBER|first record does not look like a TLS handshake/,
  possible: (seen) => plaintextAddresses(seen),
  refines: ['tls-no-handshake', 'xds-refused'],
};
