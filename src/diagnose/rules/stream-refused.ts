import { failures } from '../asked.ts';
import { isHealed } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Some status. */
export const streamRefused: Rule = {
  id: 'stream-refused',
  area: 'connection',
  cause: 'istiod is reached and ends each stream with a gRPC status',
  symptom:
    'one connection, many requests: `upstream_cx_total` stays, `upstream_rq_total` and `cds.update_failure` grow, `connected_state` 0',
  rulesOut: '`cds.update_failure` that does not grow',
  next: "the status is in Envoy's log (`gRPC config stream … closed: CODE, TEXT`), the reason in istiod's",
  words: /gRPC config stream to .* closed(?: since [^:]*)?: (?!14\b|13\b|0\b)\d+, /,
  shows: (seen, standing) => {
    const [connections, requests] = [seen.xds('upstream_cx_total'), seen.xds('upstream_rq_total')];
    if (
      isHealed(standing) ||
      connections === undefined ||
      requests === undefined ||
      failures(seen).length === 0 ||
      seen.xdsPositive('upstream_cx_connect_fail').length > 0
    )
      return [];
    return Number(requests.value) > Number(connections.value) && Number(connections.value) > 0 && standing.isConnected === false
      ? [connections, requests, ...failures(seen)]
      : [];
  },
};
