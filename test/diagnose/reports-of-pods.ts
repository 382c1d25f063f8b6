import { agentLine, closed, described, envoyLine, type Report } from './report-texts.ts';

const event = (type: string, reason: string, object: string, message: string): string =>
  `LAST SEEN   TYPE   REASON   OBJECT   MESSAGE\n2m   ${type}   ${reason}   ${object}   ${message}\n`;
const initCrash = (name: string, exitCode: number): string =>
  `Name:             shop-1\nNamespace:        default\nStatus:           Pending\nInit Containers:\n  ${name}:\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    ${exitCode}\n    Ready:          False\n    Restart Count:  6\nContainers:\n  istio-proxy:\n    State:          Waiting\n      Reason:       PodInitializing\n    Ready:          False\n    Restart Count:  0\nEvents:           <none>\n`;
const notReady = (words: string): string => agentLine('warn', `Envoy proxy is NOT ready: ${words}`);
const dial = (words: string): string =>
  agentLine(
    'error',
    `citadelclient\tfailed to sign CSR: create certificate: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp${words}"`,
  );

/** What happens to a pod before its proxy runs, or as it crashes; and how old and new pilot-agents say what they lack. */
export const podReports: readonly Report[] = [
  {
    what: 'a pod that no node takes',
    files: { 'events.txt': event('Warning', 'FailedScheduling', 'pod/shop-1', '0/3 nodes are available: 3 Insufficient memory.') },
    kind: 'never-started',
    first: 'not-scheduled',
  },
  {
    what: 'a webhook that the API server cannot call',
    files: {
      'events.txt': event(
        'Warning',
        'FailedCreate',
        'replicaset/shop-5d',
        'Error creating: Internal error occurred: failed calling webhook "rev.namespace.sidecar-injector.istio.io": failed to call webhook: context deadline exceeded',
      ),
    },
    kind: 'never-started',
    first: 'webhook-fails',
  },
  {
    what: 'an istio-init that fails (istio#24148)',
    files: { 'pod.txt': initCrash('istio-init', 255) },
    kind: 'never-started',
    first: 'istio-init-fails',
  },
  {
    what: 'the log of an istio-init that fails (istio#33239): its exit is not that of Envoy',
    files: {
      'init.log':
        "iptables-restore v1.8.9 (nf_tables): iptables-restore: unable to initialize table 'nat'\n" +
        agentLine('error', 'Failed to execute: iptables-restore --noflush /tmp/rules.txt, exit status 3'),
    },
    kind: 'never-started',
    first: 'istio-init-fails',
  },
  {
    what: 'an istio-validation that fails (istio#22913)',
    files: { 'pod.txt': initCrash('istio-validation', 126) },
    kind: 'never-started',
    first: 'istio-cni-missing',
  },
  {
    what: 'the log of an istio-validation that fails',
    files: { 'v.log': `Error connecting to 127.0.0.6:15002: connection refused\n${agentLine('error', 'validation timeout')}` },
    kind: 'never-started',
    first: 'istio-cni-missing',
  },
  {
    what: 'an image for another processor',
    files: { 'proxy.log': 'exec /usr/local/bin/pilot-agent: exec format error\n' },
    kind: 'crash-loop',
    first: 'wrong-architecture',
  },
  {
    what: 'an Envoy that crashes',
    files: { 'proxy.log': envoyLine('Caught Segmentation fault, suspect faulting address 0x18', 'critical') },
    kind: 'crash-loop',
    first: 'proxy-crashed',
  },
  {
    what: 'an Envoy that crashed and runs again',
    files: {
      'pod.txt': described(
        '    State:          Running\n    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    139\n    Ready:          True\n    Restart Count:  3',
        '',
      ),
    },
    kind: 'ready',
    first: 'proxy-crashed',
  },
  {
    what: 'a startup probe of 15021, from kubectl get events',
    files: {
      'events.txt': event(
        'Warning',
        'Unhealthy',
        'pod/shop-1',
        'Startup probe failed: Get "http://10.0.0.7:15021/healthz/ready": connection refused',
      ),
    },
    kind: 'not-ready',
    first: undefined,
  },
  {
    what: 'a probe of the app that answers 500, which says nothing of the proxy',
    files: { 'events.txt': event('Warning', 'Unhealthy', 'pod/shop-1', 'Readiness probe failed: HTTP probe failed with statuscode: 500') },
    kind: 'unknown',
    first: undefined,
  },
  {
    what: 'an image of the app that is not there, beside a proxy that is ready',
    files: {
      'pod.txt': described('    State:          Running\n    Ready:          True\n    Restart Count:  0', '').replace(
        '    State:          Running\n    Ready:          True\n    Restart Count:  0\n  istio-proxy',
        '    State:          Waiting\n      Reason:       ImagePullBackOff\n    Ready:          False\n    Restart Count:  0\n  istio-proxy',
      ),
    },
    kind: 'ready',
    first: 'image-not-pulled',
  },
  {
    what: 'an exit that was followed by a run that got ready',
    files: { 'proxy.log': agentLine('error', 'Epoch 0 exited with error: exit status 1') + agentLine('info', 'Envoy proxy is ready') },
    kind: 'ready',
    first: undefined,
  },
  {
    what: 'clusters without listeners, by the words of 2019 (istio#13939)',
    files: {
      'agent.log': notReady(
        'config not received from Pilot (is Pilot running?): cds updates: 2 successful, 0 rejected; lds updates: 0 successful, 0 rejected',
      ),
    },
    kind: 'not-ready',
    first: 'lds-not-received?',
  },
  {
    what: 'rejected listeners by pilot-agent’s words alone',
    files: {
      'agent.log': notReady(
        'config received from XDS server, but was rejected: cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 40 rejected',
      ),
    },
    kind: 'not-ready',
    first: 'lds-nacked',
  },
  {
    what: 'many rejections in many hours, which are no loop',
    files: { 'stats.txt': 'listener_manager.lds.update_rejected: 25\nserver.uptime: 90000\n' },
    kind: 'unknown',
    first: 'lds-nacked',
  },
  {
    what: 'routes that are rejected',
    files: {
      'envoy.log': envoyLine(
        'gRPC config for type.googleapis.com/envoy.config.route.v3.RouteConfiguration rejected: Only a single wildcard domain is permitted',
      ),
    },
    kind: 'unknown',
    first: 'other-nacked',
  },
  {
    what: 'a CA that is not reached does not refuse',
    files: { 'agent.log': dial(' 10.96.3.2:15012: i/o timeout') },
    kind: 'unknown',
    first: 'xds-dropped',
  },
  {
    what: 'a timeout without an address (istio#31717)',
    files: { 'agent.log': dial(': i/o timeout') },
    kind: 'unknown',
    first: 'xds-dropped',
  },
  {
    what: 'a DNS server that does not answer',
    files: { 'agent.log': dial(': lookup istiod.istio-system.svc on 10.96.0.10:53: read udp 10.0.0.7:4000->10.96.0.10:53: i/o timeout') },
    kind: 'unknown',
    first: 'xds-name-not-resolved',
  },
  {
    what: 'a network without a way there',
    files: { 'agent.log': dial(' 10.96.3.2:15012: connect: no route to host') },
    kind: 'unknown',
    first: 'xds-no-route',
  },
  {
    what: 'a failure that an old Envoy does not explain (istio#23410)',
    files: {
      'envoy.log': closed(': 14, upstream connect error or disconnect/reset before headers. reset reason: connection failure'),
      'agent.log': notReady(
        'config not received from Pilot (is Pilot running?): cds updates: 0 successful, 0 rejected; lds updates: 0 successful, 0 rejected',
      ),
    },
    kind: 'not-ready',
    first: 'xds-connect-fails?',
  },
  {
    what: 'the socket of the agent that is not there (gardener#6330)',
    files: {
      'envoy.log': envoyLine(
        'StreamSecrets gRPC config stream closed since 259s ago: 14, upstream connect error or disconnect/reset before headers. reset reason: connection failure, transport failure reason: immediate connect error: No such file or directory',
      ),
    },
    kind: 'unknown',
    first: 'agent-socket-down',
  },
  {
    what: 'a proxy of before 1.8 at an istiod of today (istio#38871)',
    files: { 'envoy.log': closed(': 12, unknown service envoy.service.discovery.v2.AggregatedDiscoveryService') },
    kind: 'unknown',
    first: 'proxy-speaks-v2',
  },
  {
    what: 'a server that is no control plane',
    files: { 'envoy.log': closed(': 12, unknown service envoy.service.discovery.v3.AggregatedDiscoveryService') },
    kind: 'unknown',
    first: 'no-xds-service',
  },
  {
    what: 'a token file that is not there',
    files: {
      'agent.log': agentLine(
        'warn',
        'sds\tfailed to warm certificate: failed to generate workload certificate: open ./var/run/secrets/tokens/istio-token: no such file or directory',
      ),
    },
    kind: 'unknown',
    first: 'token-missing',
  },
  {
    what: 'what istiod and Envoy also log, and what has nothing to do with the proxy’s way to istiod',
    files: {
      'mixed.log':
        agentLine(
          'error',
          'model\tFailed to fetch public key from "https://id.example/keys": tls: failed to verify certificate: x509: certificate signed by unknown authority',
        ) +
        agentLine('error', 'failed scraping application metrics: dial tcp 127.0.0.1:8080: connect: connection refused') +
        '[2026-11-30T08:12:00.000Z] "GET / HTTP/1.1" 503 UF upstream_reset_before_response_started - "delayed_connect_error:_Connection_refused" 0 91\n' +
        '{"response_code":503,"response_flags":"UF","upstream_transport_failure_reason":"CERTIFICATE_VERIFY_FAILED:self_signed_certificate"}\n',
    },
    kind: 'unknown',
    first: undefined,
  },
  {
    what: 'a network plugin that fails',
    files: {
      'events.txt': event(
        'Warning',
        'FailedCreatePodSandBox',
        'pod/shop-1',
        'Failed to create pod sandbox: plugin type="istio-cni" failed (add)',
      ),
    },
    kind: 'never-started',
    first: 'sandbox-failed',
  },
  {
    what: 'a ConfigMap that the environment wants',
    files: { 'events.txt': event('Warning', 'Failed', 'pod/shop-1', 'Error: configmap "shop-env" not found') },
    kind: 'never-started',
    first: 'container-config-error',
  },
  {
    what: 'certificates in files that are not there (istio#17551)',
    files: { 'agent.log': agentLine('warn', 'watching /etc/certs encountered an error no such file or directory') },
    kind: 'unknown',
    first: 'agent-no-certs',
  },
  {
    what: 'an Envoy that is too busy to answer (istio#12382)',
    files: {
      'agent.log': notReady(
        'failed to get readiness stats: Get "http://127.0.0.1:15000/stats?usedonly": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
      ),
    },
    kind: 'not-ready',
    first: 'envoy-busy',
  },
  {
    what: 'a token whose service account was made anew (istio#56145)',
    files: {
      'istiod.log': agentLine(
        'error',
        'ads\tFailed to authenticate client from 10.0.0.7:4000: Authenticator KubeJWTAuthenticator: failed to validate the JWT from cluster "a": [invalid bearer token, service account UID (1) does not match claim (2)]',
      ),
    },
    kind: 'unknown',
    first: 'authentication-refused',
  },
  {
    what: 'no host of the cluster, by an Envoy of before Istio 1.9, which may wait for its certificate (istio#25086)',
    files: {
      'envoy.log': envoyLine('StreamAggregatedResources gRPC config stream closed: 14, no healthy upstream'),
      ready: 'PRE_INITIALIZING',
    },
    kind: 'not-ready',
    first: 'xds-name-not-resolved?',
  },
];
