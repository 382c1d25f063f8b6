import type { Rule } from '../rule.ts';

/** No handshake. */
export const tlsNoHandshake: Rule = {
  id: 'tls-no-handshake',
  area: 'connection',
  cause: 'no TLS handshake comes about, and not for the certificate: ALPN, a demanded client certificate, or a server without TLS',
  symptom: '`ssl.connection_error` grows, `ssl.fail_verify_*` are 0',
  rulesOut: '`ssl.handshake` above zero',
  next: "the alert is in Envoy's log at --component-log-level config:debug; openssl s_client -connect HOST:15012 -alpn h2",
  shows: (seen) =>
    seen.xdsPositive('ssl.fail_verify_error', 'ssl.fail_verify_san').length > 0 ? [] : seen.xdsPositive('ssl.connection_error'),
  refines: ['xds-refused'],
};
