import { failures } from '../asked.ts';
import { refusedLike } from '../reach.ts';
import type { Rule } from '../rule.ts';

/** Refused. */
export const xdsRefused: Rule = {
  id: 'xds-refused',
  area: 'connection',
  cause: "nothing listens on istiod's port: the connection is refused",
  symptom: '`upstream_cx_connect_fail` grows and `ssl.*` does not; after 30 s `closed since …: 14, … Connection refused`',
  rulesOut: 'a connect of another program to that port from the same pod',
  next: 'kubectl get pods,endpoints -n istio-system; is istiod still starting (8080/ready is 503, 15012 closed)?',
  words:
    /delayed_connect_error:_?\s?Connection_?\s?refused|connect: connection refused.*:150(12|10)|:150(12|10): connect: connection refused|15012.*connection refused/,
  shows: (seen, { isConnected }) => (isConnected === false ? seen.events('server.stopped').slice(-1) : []),
  fits: (seen, standing) =>
    refusedLike(seen, standing) && seen.zero('control_plane.connected_state').length > 0
      ? [...seen.xdsPositive('upstream_cx_connect_fail'), ...failures(seen)]
      : [],
};
