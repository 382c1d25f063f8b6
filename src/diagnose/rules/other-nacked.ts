import type { Rule } from '../rule.ts';

/** NACKs that no counter of pilot-agent's rule tells: RDS, EDS, SDS, ECDS and others. */
export const otherNacked: Rule = {
  id: 'other-nacked',
  area: 'rejected',
  cause: 'Envoy rejects a response of another type than CDS and LDS (NACK); what it had of that type before is in use',
  symptom: '`gRPC config for type.googleapis.com/… rejected: …`; `update_rejected` of that subscription',
  rulesOut: '`update_rejected` 0 in the stats of that subscription',
  next: "Envoy's words are in its log, and in istiod's (`ACK ERROR`)",
  words:
    /config for type\.googleapis\.com\/envoy\.[\w.]*(v3\.(RouteConfiguration|ScopedRouteConfiguration|VirtualHost|ClusterLoadAssignment|Secret|TypedExtensionConfig|Runtime)|api\.v2\.(RouteConfiguration|ClusterLoadAssignment|auth\.Secret)) rejected/,
  detail: (seen) =>
    /\.(\w+) rejected: (.*)$/
      .exec(seen.log(/config for type\.googleapis\.com\/\S+ rejected: /).at(-1)?.text ?? '')
      ?.slice(1, 3)
      .join(': ')
      .slice(0, 300),
  whenReady: true,
};
