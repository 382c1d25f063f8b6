import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Client certificate. */
export const tlsClientCertificate: Rule = {
  id: 'tls-client-certificate',
  area: 'connection',
  cause: 'the server demands a client certificate, and the proxy shows none, or not one that it takes',
  symptom: '`ssl.connection_error` grows, no `ssl.fail_verify_*`; alert `handshake failure`, `certificate required` or `bad certificate`',
  rulesOut: 'a handshake that comes about without a client certificate',
  next: "istiod's log; openssl s_client -connect HOST:15012 -cert cert-chain.pem -key key.pem",
  words:
    /SSLV3_ALERT_HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED|tls: certificate required|ALERT_BAD_CERTIFICATE|tls: bad certificate|Could not verify certificate/,
  shows: (seen, standing) =>
    isHealed(standing)
      ? []
      : seen.events('handshake.failed', ({ reason }) => /shows no certificate|client certificate/.test(String(reason))),
  refines: ['tls-no-handshake', 'xds-refused'],
};
