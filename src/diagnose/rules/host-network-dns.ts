import { hostNetworks, nameFailures } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** hostNetwork with dnsPolicy ClusterFirst (contour#2114). */
export const hostNetworkDns: Rule = {
  id: 'host-network-dns',
  area: 'connection',
  cause:
    "the pod is on the node's network with the node's DNS (dnsPolicy is not ClusterFirstWithHostNet), which does not know istiod's name",
  symptom: '`no healthy upstream`; hostNetwork: true',
  rulesOut: 'dnsPolicy: ClusterFirstWithHostNet',
  next: 'set dnsPolicy: ClusterFirstWithHostNet; getent hosts istiod.istio-system.svc in the pod',
  shows: (seen) =>
    nameFailures(seen).length > 0 ? [...hostNetworks(seen), ...nameFailures(seen)].slice(0, hostNetworks(seen).length === 0 ? 0 : 3) : [],
  possible: (seen) => hostNetworks(seen),
  refines: ['xds-name-not-resolved'],
};
