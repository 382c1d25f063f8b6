import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Expired. */
export const tlsExpired: Rule = {
  id: 'tls-expired',
  area: 'connection',
  cause: "istiod's certificate has expired",
  symptom: '`ssl.fail_verify_error` grows; `certificate_has_expired`; istiod sees the alert `certificate expired`',
  rulesOut: 'a notAfter in the future',
  next: 'openssl s_client -connect istiod.istio-system.svc:15012 </dev/null | openssl x509 -noout -dates; istiod needs a restart or a new certificate',
  words:
    /certificate_has_expired|certificate has expired(?! or is not yet valid)|expired certificate|has expired or is not yet valid: current time \S+ is after/,
  shows: (seen, standing) =>
    isHealed(standing) || seen.log(/not_yet_valid|is before/).length > 0
      ? []
      : seen.events('handshake.failed', ({ reason }) => /certificate expired/.test(String(reason))),
  refines: ['tls-unverified', 'xds-refused'],
};
