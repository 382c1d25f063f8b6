import { failures } from '../asked.ts';
import { quoted } from '../evidence.ts';
import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** The other way round. */
export const plaintextToTls: Rule = {
  id: 'plaintext-to-tls',
  area: 'connection',
  cause: 'the proxy speaks plaintext to a port that wants TLS',
  symptom: 'each connection ends after the first bytes; no `ssl.*` counters; istiod: `first record does not look like a TLS handshake`',
  rulesOut: 'a transport_socket of TLS in the cluster, or port 15010',
  next: 'fake-istiod check BOOTSTRAP; which port: 15010 is plaintext, 15012 is TLS',
  fits: (seen) => {
    const plain = seen.xdsStatics.filter(({ tls, addresses }) => !tls && addresses.some((address) => address.endsWith(':15012')));
    return plain.length > 0 && failures(seen).length > 0
      ? [...plain.map(({ at, name, addresses }) => quoted(at, `${name} leads to ${addresses.join(', ')} without TLS`)), ...failures(seen)]
      : [];
  },
  shows: (seen, standing) =>
    isHealed(standing) ? [] : seen.events('handshake.failed', ({ reason }) => /plaintext|no TLS|not TLS/.test(String(reason))),
};
