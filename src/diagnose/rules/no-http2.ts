import { quoted } from '../evidence.ts';
import type { Rule } from '../rule.ts';

/** gRPC over HTTP/1.1 (envoy#3961). */
export const noHttp2: Rule = {
  id: 'no-http2',
  area: 'connection',
  cause: 'the cluster that leads to istiod speaks HTTP/1.1, and gRPC needs HTTP/2',
  symptom: '`upstream_cx_protocol_error` grows; nothing at `warning` for 30 s',
  rulesOut: 'http2_protocol_options in explicit_http_config of that cluster',
  next: 'fake-istiod check BOOTSTRAP',
  shows: (seen, { hasClusters }) => (hasClusters ? [] : seen.xdsPositive('upstream_cx_protocol_error')),
  possible: (seen) =>
    seen.xdsStatics.filter(({ http2 }) => !http2).map(({ at, name }) => quoted(at, `cluster ${name} has no http2_protocol_options`)),
  refines: ['xds-refused', 'connection-cut', 'stream-refused'],
};
