import { failures } from '../asked.ts';
import type { Rule } from '../rule.ts';

/** No status, no TLS error. */
export const connectionCut: Rule = {
  id: 'connection-cut',
  area: 'connection',
  cause: 'istiod (or what stands before it) takes each connection and ends it without a word of gRPC',
  symptom: '`upstream_cx_total` grows with `upstream_rq_total` and `cds.update_failure`, no `upstream_cx_connect_fail`',
  rulesOut: 'one connection that stays while requests fail: then a gRPC status refuses them',
  next: 'plaintext to a TLS port, or a load balancer? openssl s_client -connect HOST:15012; the log at config:debug',
  fits: (seen, standing) => {
    const [connections, requests] = [seen.xds('upstream_cx_total'), seen.xds('upstream_rq_total')];
    if (standing.hasClusters || connections === undefined || requests === undefined || Number(connections.value) < 2) return [];
    return connections.value === requests.value && seen.xdsPositive('upstream_cx_connect_fail').length === 0 && failures(seen).length > 0
      ? [connections, requests, ...failures(seen)]
      : [];
  },
};
