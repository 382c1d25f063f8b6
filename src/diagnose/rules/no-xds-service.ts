import type { Rule } from '../rule.ts';

/** Not istiod. */
export const noXdsService: Rule = {
  id: 'no-xds-service',
  area: 'connection',
  cause: 'what answers there serves no xDS: another gRPC or web server',
  symptom: '`closed: 12, unknown service …` or `12, ` and no more, as 404 is told',
  rulesOut: 'a server that grpcurl lists AggregatedDiscoveryService of',
  next: "is the address of ads_config istiod's? grpcurl -plaintext HOST:PORT list",
  words: /config stream.* closed(?: since [^:]*)?: 12, /,
  refines: ['stream-refused'],
};
