import type { Rule } from '../rule.ts';

/** ICMP. */
export const xdsNoRoute: Rule = {
  id: 'xds-no-route',
  area: 'connection',
  cause: "there is no way to istiod's address: the network says so at once",
  symptom: '`no route to host`, `network is unreachable`',
  rulesOut: 'a ping or an answer of that address',
  next: 'kubectl get endpoints -n istio-system istiod (an old address?); a firewall that rejects; the routes of the node',
  words:
    /(closed|CSR|certificate|upstream|XDS).*(no route to host|network is unreachable)|connect[_ ]error:[_ ]?\s?(No[_ ]route[_ ]to[_ ]host|Network[_ ]is[_ ]unreachable)/i,
};
