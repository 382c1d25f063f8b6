import { agentLine, closed, described, pod, tokenVolume } from './report-texts.ts';
import type { Report } from './report-texts.ts';

/** Pods, tokens, certificates, names. */
export const identityReports: readonly Report[] = [
  {
    what: 'a token of the API server (istio#36221), istiod’s log beside the pod',
    files: {
      'proxy.log': closed(': 16, authentication failure{via_upstream}'),
      'istiod.log': agentLine(
        'error',
        'security\tFailed to authenticate client from 10.0.0.9:40122: Authenticator KubeJWTAuthenticator: failed to validate the JWT from cluster "Kubernetes": the service account authentication returns an error: [invalid bearer token, token audiences ["https://kubernetes.default.svc.cluster.local"] is invalid for the target audiences ["istio-ca"]]',
      ),
      ready: 'PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'token-audience',
  },
  {
    what: 'a manifest with another audience and a refused stream',
    files: {
      'pod.yaml': pod('', tokenVolume('lab-istiod')),
      'proxy.log': closed(': 16, authentication failure{via_upstream}'),
      ready: 'PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'token-audience',
  },
  {
    what: 'a refused stream and nothing else',
    files: { 'proxy.log': closed(': 16, authentication failure{via_upstream}'), ready: 'PRE_INITIALIZING' },
    kind: 'not-ready',
    first: 'authentication-refused',
  },
  {
    what: 'a manifest with another audience alone',
    files: { 'pod.yaml': pod('', tokenVolume('lab-istiod')) },
    kind: 'unknown',
    first: 'token-audience??',
  },
  {
    what: 'an expired token and a broken listener at once (istio#45000): what refuses comes first',
    files: {
      'istiod.log':
        agentLine(
          'error',
          'security\tFailed to authenticate client from 10.0.0.9:1: [invalid bearer token, service account token has expired]',
        ) +
        agentLine(
          'warn',
          'ads\tADS:LDS: ACK ERROR me-0.demo-1 Internal:Error adding/updating listener(s) virtualInbound: script load error: [string "x = = 1"]:1: unexpected symbol near \'=\'',
        ),
      'agent.log': agentLine(
        'warn',
        'Envoy proxy is NOT ready: config not received from XDS server (is Istiod running?): cds updates: 0 successful, 0 rejected; lds updates: 0 successful, 0 rejected',
      ),
    },
    kind: 'not-ready',
    first: 'token-expired',
  },
  {
    what: 'no token volume (istio#25138)',
    files: { 'agent.log': agentLine('fatal', 'Missing JWT, cannot authenticate with control plane. Try using plain text (15010)') },
    kind: 'crash-loop',
    first: 'agent-no-token',
  },
  {
    what: 'volumes that cannot be mounted (kubeflow#5882)',
    files: {
      'describe.txt': described(
        '    State:          Waiting\n      Reason:       ContainerCreating\n    Ready:          False\n    Restart Count:  0',
        '  Warning  FailedMount  2m (x8 over 4m)  kubelet  MountVolume.SetUp failed for volume "istiod-ca-cert" : configmap "istio-ca-root-cert" not found',
      ),
    },
    kind: 'never-started',
    first: 'mount-failed',
  },
  {
    what: 'a cluster that istiod does not know (istio#52065)',
    files: {
      'istiod.log': agentLine(
        'error',
        'security\tFailed to authenticate client from 10.0.0.9:1: client claims to be in cluster "cluster-b", but we only know about local cluster "Kubernetes" and remote clusters []',
      ),
    },
    kind: 'unknown',
    first: 'cluster-id-unknown',
  },
  {
    what: 'a node id of one word (istio#36647)',
    files: { 'envoy.log': closed(': 2, missing parts in the service node "Kubernetes"'), ready: '503 PRE_INITIALIZING' },
    kind: 'not-ready',
    first: 'node-malformed',
  },
  {
    what: 'metadata of another release (istio#33989)',
    files: {
      'envoy.log': closed(
        ': 2, failed to unmarshal node metadata: json: cannot unmarshal string into Go struct field NodeMetadata.PROXY_VIA_AGENT of type bool',
      ),
      ready: '503 PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'node-metadata-type',
  },
  {
    what: 'clocks that differ (istio#32976)',
    files: {
      'agent.log': agentLine(
        'warn',
        'xdsproxy\tfailed to create upstream grpc client: x509: certificate has expired or is not yet valid: current time 2026-11-30T08:00:00Z is before 2026-11-30T08:00:18Z',
      ),
      ready: 'PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'tls-not-yet-valid',
  },
  {
    what: 'a certificate that has run out, by the words of Go (istio#23328)',
    files: {
      'agent.log': agentLine(
        'warn',
        'xdsproxy\tx509: certificate has expired or is not yet valid: current time 2026-11-30T08:00:00Z is after 2026-11-29T08:00:18Z',
      ),
      ready: 'PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'tls-expired',
  },
  {
    what: 'TLS to 15010 (istio#29080)',
    files: {
      'agent.log': agentLine(
        'error',
        'xdsproxy\ttransport: authentication handshake failed: tls: first record does not look like a TLS handshake',
      ),
      ready: 'PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'tls-plaintext-port',
  },
  {
    what: 'port 15010 in the mesh config alone',
    files: { 'mesh.yaml': 'defaultConfig:\n  discoveryAddress: istiod.istio-system.svc:15010\n' },
    kind: 'unknown',
    first: 'tls-plaintext-port??',
  },
  {
    what: 'hostNetwork without its DNS policy (contour#2114)',
    files: {
      'pod.yaml': pod('      hostNetwork: true\n', tokenVolume('istio-ca')),
      'envoy.log': closed(' since 40s ago: 14, no healthy upstream'),
      ready: 'PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'host-network-dns',
  },
  {
    what: 'no host of the cluster',
    files: { 'envoy.log': closed(' since 40s ago: 14, no healthy upstream'), ready: 'PRE_INITIALIZING' },
    kind: 'not-ready',
    first: 'xds-name-not-resolved',
  },
  {
    what: 'a local reset that nobody explained (istio#28159)',
    files: {
      'envoy.log': closed(': 14, upstream connect error or disconnect/reset before headers. reset reason: local reset'),
      ready: 'PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'connection-reset?',
  },
];
