import { statsText } from './given.ts';
import { agentLine, envoyLine, closed, described, live, rejectedStats } from './report-texts.ts';
import type { Report } from './report-texts.ts';

/** Connections, rejected configuration, bootstraps. */
export const configReports: readonly Report[] = [
  {
    what: 'a planned reconnect (istio#35755)',
    files: { 'envoy.log': closed(': 14, error reading from server: EOF, received prior goaway: code: NO_ERROR'), ready: live },
    kind: 'ready',
    first: 'planned-reconnect',
  },
  {
    what: 'a push that is too large (istio#55820)',
    files: { 'envoy.log': closed(': 8, grpc: received message larger than max (6610145 vs. 4194304)'), ready: 'PRE_INITIALIZING' },
    kind: 'not-ready',
    first: 'message-too-large',
  },
  {
    what: 'a Service on 15021 (istio#41239)',
    files: {
      'stats.txt': rejectedStats,
      'envoy.log': envoyLine(
        "lds: listener '0.0.0.0_15021' config rejected: error adding listener: '0.0.0.0_15021' has duplicate address '0.0.0.0:15021' as existing listener, to check if the listener has duplicated addresses",
      ),
      ready: live,
    },
    kind: 'not-ready',
    first: 'listener-address-clash',
  },
  {
    what: 'the agent’s words about a rejected listener (istio#39411)',
    files: {
      'agent.log':
        agentLine(
          'warn',
          'Envoy proxy is NOT ready: config received from XDS server, but was rejected: cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 57 rejected',
        ) +
        envoyLine(
          "gRPC config for type.googleapis.com/envoy.config.listener.v3.Listener rejected: Error adding/updating listener(s) virtualInbound: Provider 'origins-0' in jwt_authn config has invalid local jwks: Jwks doesn't have any valid public key",
        ),
    },
    kind: 'not-ready',
    first: 'lds-nacked',
  },
  {
    what: 'a filter without typed_config (istio#49764)',
    files: {
      'envoy.log': envoyLine(
        "lds: listener 'x' config rejected: Didn't find a registered implementation for 'istio.alpn' with type URL: ''",
      ),
      'stats.txt': rejectedStats,
      ready: live,
    },
    kind: 'not-ready',
    first: 'extension-unknown',
  },
  {
    what: 'a route to a cluster that is not there (envoy#28187)',
    files: {
      'envoy.log': envoyLine("lds: listener 'x' config rejected: route: unknown cluster 'outbound|80||a'"),
      'stats.txt': rejectedStats,
      ready: live,
    },
    kind: 'not-ready',
    first: 'route-to-unknown-cluster',
  },
  {
    what: 'the wrong name of the ADS cluster (envoy#2785)',
    files: { 'out.txt': "error initializing configuration 'boot.yaml': Unknown gRPC client cluster 'istiod-xds'\nrc=1\n" },
    kind: 'crash-loop',
    first: 'ads-cluster-unknown',
  },
  {
    what: 'the documented override of 1.8 (istio#30299)',
    files: {
      'envoy.log': envoyLine(
        "error `Didn't find a registered implementation for 'envoy.zipkin' with type URL: ''` initializing config ' etc/istio/proxy/envoy-rev.json'",
        'critical',
      ),
    },
    kind: 'crash-loop',
    first: 'override-untyped',
  },
  {
    what: 'an override in quotes (istio#12436)',
    files: { 'envoy.log': envoyLine('error `Unable to convert YAML as JSON: \'{"stats_config":{}}\'` initializing config', 'critical') },
    kind: 'crash-loop',
    first: 'override-quoted',
  },
  {
    what: 'the admin port in use (istio#38824)',
    files: { 'envoy.log': envoyLine("error `cannot bind '127.0.0.1:15000': Address already in use` initializing config", 'critical') },
    kind: 'crash-loop',
    first: 'address-in-use',
  },
  {
    what: 'a listener’s port in use (istio#33835)',
    files: {
      'envoy.log': envoyLine(
        "listener 'virtualInbound' failed to bind or apply socket options: cannot bind '0.0.0.0:15006': Address already in use",
        'error',
      ),
      'stats.txt': rejectedStats,
      ready: live,
    },
    kind: 'not-ready',
    first: 'listener-not-bound',
  },
  {
    what: 'a postStart hook that kills (istio#41086)',
    files: {
      'describe.txt': described(
        '    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       Completed\n      Exit Code:    0\n    Ready:          False\n    Restart Count:  3694',
        '  Warning  FailedPostStartHook  3m  kubelet  Exec lifecycle hook ([pilot-agent wait]) for Container "istio-proxy" failed',
      ),
    },
    kind: 'not-ready',
    first: 'post-start-kills',
  },
  {
    what: 'an idle connection that is cut (go-control-plane#1236)',
    files: {
      'envoy.log':
        closed(' since 263s ago: 14, upstream connect error or disconnect/reset before headers. reset reason: connection termination') +
        closed(': 13, connection reset'),
      ready: live,
    },
    kind: 'ready',
    first: 'idle-cut?',
  },
  {
    what: 'the image that is not there',
    files: {
      'pods.txt': 'NAME             READY   STATUS             RESTARTS   AGE\npayments-6d5f9   1/2     ImagePullBackOff   0          3m\n',
    },
    kind: 'never-started',
    first: 'image-not-pulled',
  },
  {
    what: 'a CA that refuses',
    files: {
      'agent.log': agentLine(
        'error',
        'citadelclient\tfailed to sign CSR: create certificate: rpc error: code = Unauthenticated desc = request authenticate failure',
      ),
      ready: 'PRE_INITIALIZING',
      'stats.txt': statsText({
        'cluster_manager.cds.update_success': 1,
        'cluster_manager.warming_clusters': 2,
        'control_plane.connected_state': 1,
      }),
    },
    kind: 'not-ready',
    first: 'ca-refuses',
  },
];
