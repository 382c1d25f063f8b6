import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** ALPN. */
export const tlsAlpn: Rule = {
  id: 'tls-alpn',
  area: 'connection',
  cause: "what stands on istiod's port does not offer HTTP/2 by ALPN, as a load balancer that ends TLS for HTTP/1.1 does",
  symptom: '`ssl.connection_error` grows, no `ssl.fail_verify_*`; `NO_APPLICATION_PROTOCOL`, in Go `missing selected ALPN property`',
  rulesOut: '`ALPN protocol: h2` of openssl s_client -alpn h2',
  next: 'openssl s_client -connect istiod.istio-system.svc:15012 -alpn h2 </dev/null | grep ALPN',
  words: /NO_APPLICATION_PROTOCOL|no application protocol|missing selected ALPN property/,
  shows: (seen, standing) => (isHealed(standing) ? [] : seen.events('handshake.failed', ({ reason }) => /ALPN/.test(String(reason)))),
  refines: ['tls-no-handshake', 'xds-refused'],
};
