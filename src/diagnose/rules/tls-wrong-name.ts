import type { Rule } from '../rule.ts';

/** SAN. */
export const tlsWrongName: Rule = {
  id: 'tls-wrong-name',
  area: 'connection',
  cause: "istiod's certificate is for another name than the one that the proxy asks for",
  symptom: '`ssl.fail_verify_san` grows; `SAN matcher`, in Go `certificate is valid for …, not …`',
  rulesOut: 'that name among the SANs of the certificate',
  next: 'openssl s_client -connect istiod.istio-system.svc:15012 </dev/null | openssl x509 -noout -ext subjectAltName',
  words: /SAN[_ ]matcher|certificate is valid for .*, not /,
  shows: (seen) => seen.xdsPositive('ssl.fail_verify_san'),
  refines: ['tls-unverified', 'xds-refused'],
};
