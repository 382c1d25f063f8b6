import type { Rule } from '../rule.ts';

/** Verification failed. */
export const tlsUnverified: Rule = {
  id: 'tls-unverified',
  area: 'connection',
  cause: "the proxy does not accept istiod's certificate: its root or its dates, counters do not say which",
  symptom: '`ssl.fail_verify_error` grows',
  rulesOut: '`ssl.fail_verify_error` 0',
  next: "the reason is in Envoy's log at --component-log-level config:debug; openssl s_client -connect istiod.istio-system.svc:15012 -CAfile root-cert.pem",
  words: /CERTIFICATE_VERIFY_FAILED|tls: failed to verify certificate/,
  shows: (seen) => seen.xdsPositive('ssl.fail_verify_error'),
  refines: ['xds-refused'],
};
