import type { Rule } from '../rule.ts';

/** DNS capture. */
export const dnsTable: Rule = {
  id: 'dns-table',
  area: 'after',
  cause: "pilot-agent captures DNS and waits for istiod's name table (NDS), which has not come",
  symptom: '`istio DNS capture is turned ON and DNS lookup table is not ready yet`; Envoy is LIVE',
  rulesOut: 'ISTIO_META_DNS_CAPTURE not set',
  next: "istiod's log for an NDS push to this proxy",
  words: /DNS lookup table is not ready yet/,
};
