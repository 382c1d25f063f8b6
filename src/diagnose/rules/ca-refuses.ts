import type { Rule } from '../rule.ts';

/** The CA. */
export const caRefuses: Rule = {
  id: 'ca-refuses',
  area: 'certificate',
  cause: 'the CA refuses the certificate, so SDS cannot give clusters what they wait for, even where ADS is fine',
  symptom:
    '`cds.update_success` 1, clusters warm; agent: `failed to sign CSR … request authenticate failure`, `failed to warm certificate`',
  rulesOut: 'a certificate `default` in /certs or in the secrets of the config_dump',
  next: 'kubectl logs POD -c istio-proxy | grep -E "citadelclient|sds"; CA_ADDR; istiod\'s log',
  words:
    // Unavailable is no refusal: the CA was not reached.
    /(failed to sign CSR|failed to warm certificate|failed to generate (workload certificate|secret)|[Ff]ailed to create certificate).* code = (?!Unavailable|DeadlineExceeded|Canceled)|request authenticate failure|CSR signing error/,
  shows: (seen, standing) =>
    seen.events('certificate.received').length > 0 || standing.state === 'LIVE'
      ? []
      : [...seen.events('certificate.refused'), ...seen.events('caller.turned-away', ({ service }) => service === 'ca')],
  refines: ['cluster-sds-withheld', 'listener-sds-withheld'],
};
