import { quoted } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** The id (istio#36647). */
export const nodeMalformed: Rule = {
  id: 'node-malformed',
  area: 'connection',
  cause: "the node id is not of istiod's form TYPE~IP~NAME.NAMESPACE~DOMAIN, or has no IP",
  symptom:
    '`closed: 3, missing parts in the service node "…"` (older: 2), `invalid node type`, `no valid IP address`, `missing node information`',
  rulesOut: 'four parts, the first sidecar, router or waypoint, the second an IP',
  next: 'node.id of the bootstrap; fake-istiod check BOOTSTRAP',
  words: /missing parts in the service node|invalid node type|no valid IP address in the service node|missing node information/,
  possible: (seen) =>
    seen.bootstraps.flatMap(({ nodeId }) =>
      nodeId &&
      nodeId.name !== '' &&
      !/^(sidecar|router|waypoint|ztunnel|agentgateway|ingress)~[0-9a-fA-F.:]+~[^~]+~[^~]*$/.test(nodeId.name)
        ? [quoted(nodeId.at, `node.id: ${nodeId.name}`)]
        : [],
    ),
  refines: ['stream-refused'],
};
