import { isSocket } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Between Envoy and its agent. */
export const agentSocketDown: Rule = {
  id: 'agent-socket-down',
  area: 'agent',
  cause: "nobody listens on pilot-agent's socket: Envoy reaches its agent, not istiod, and the agent is not there",
  symptom: '`cluster.xds-grpc;.upstream_cx_connect_fail` grows with an xds-grpc that is a Unix socket',
  rulesOut: 'a pilot-agent that runs and serves etc/istio/proxy/XDS',
  next: 'kubectl logs POD -c istio-proxy | grep xdsproxy; ls -l /etc/istio/proxy/XDS in the container',
  words: /closed[^:]*: 14, .*immediate[_ ]connect[_ ]error: ?_?No[_ ]such[_ ]file/,
  shows: (seen) => (isSocket(seen) ? seen.xdsPositive('upstream_cx_connect_fail') : []),
  refines: ['xds-refused'],
};
