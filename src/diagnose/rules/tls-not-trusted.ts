import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Root. */
export const tlsNotTrusted: Rule = {
  id: 'tls-not-trusted',
  area: 'connection',
  cause: "istiod's certificate is from a root that the proxy does not trust",
  symptom:
    '`ssl.fail_verify_error` grows; `unable_to_get_local_issuer_certificate`, in Go `certificate signed by unknown authority`; istiod sees the alert `unknown ca`',
  rulesOut: "the root of istiod's chain in /var/run/secrets/istio/root-cert.pem",
  next: 'openssl s_client -connect istiod.istio-system.svc:15012 -CAfile root-cert.pem; compare with configmap istio-ca-root-cert',
  words:
    /unable_to_get_local_issuer|self[_-]signed_certificate|unable to get local issuer|signed by unknown authority|unable to verify the first certificate/,
  shows: (seen, standing) =>
    isHealed(standing) ? [] : seen.events('handshake.failed', ({ reason }) => /unknown ca|does not trust/.test(String(reason))),
  refines: ['tls-unverified', 'xds-refused'],
};
