import type { Rule } from '../rule.ts';

/** A proxy of long ago (istio#38871). */
export const proxySpeaksV2: Rule = {
  id: 'proxy-speaks-v2',
  area: 'connection',
  cause: 'the proxy asks in API v2, as releases before Istio 1.8 do, and the server knows only v3',
  symptom: '`closed: 12, unknown service envoy.service.discovery.v2.AggregatedDiscoveryService`',
  rulesOut: 'a proxy of the release of its istiod, or one below',
  next: 'istioctl proxy-status (VERSION); restart the workload, so that it is injected anew',
  words: /unknown service envoy\.(service\.discovery|api)\.v2/,
  refines: ['stream-refused', 'no-xds-service'],
};
