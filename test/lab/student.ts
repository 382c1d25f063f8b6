import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const example = (name: string): string => readFileSync(join(import.meta.dirname, '../../examples/lab', name), 'utf8');

const bootstrap = `node:
  id: sidecar~10.0.0.7~payments-6d5f9.default~default.svc.cluster.local
  cluster: payments.default
  metadata: { CLUSTER_ID: Kubernetes, MESH_ID: cluster.local, NAMESPACE: default, WORKLOAD_NAME: payments }
admin:
  address: { socket_address: { address: 127.0.0.1, port_value: 9982 } }
dynamic_resources:
  ads_config:
    api_type: GRPC
    transport_api_version: V3
    grpc_services: [{ envoy_grpc: { cluster_name: xds-grpc } }]
  cds_config: { ads: {}, initial_fetch_timeout: 0s, resource_api_version: V3 }
  lds_config: { ads: {}, initial_fetch_timeout: 0s, resource_api_version: V3 }
static_resources:
  clusters:
    - name: xds-grpc
      type: STRICT_DNS
      typed_extension_protocol_options:
        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
          '@type': type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
          explicit_http_config: { http2_protocol_options: {} }
      load_assignment:
        cluster_name: xds-grpc
        endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: istiod.istio-system.svc, port_value: 15012 } } } }] }]
`;

/** The files of a student who has all right, written by hand. */
export const rightFiles = {
  'inject.yaml': example('inject.yaml'),
  'mesh-config.yaml': example('mesh-config.yaml'),
  '01-args.txt': 'role=sidecar\ndomain=$(POD_NAMESPACE).svc.cluster.local\nproxy_log_level=warning\ncomponent_log_level=misc:error\n',
  '02-env.txt':
    'CA_ADDR=istiod.istio-system.svc:15012\nPILOT_CERT_PROVIDER=istiod\nISTIO_META_CLUSTER_ID=Kubernetes\nTRUST_DOMAIN=cluster.local\n' +
    'ISTIO_META_WORKLOAD_NAME=payments\nPOD_NAMESPACE=fieldRef:metadata.namespace\nSERVICE_ACCOUNT=fieldRef:spec.serviceAccountName\n',
  '03-mesh.txt':
    'discovery_address=istiod.istio-system.svc:15012\nroot_namespace=istio-system\ntrust_domain=cluster.local\nca_addr_same=yes\n',
  'bootstrap.yaml': bootstrap,
  '04-validate.txt':
    "[2026-11-30 10:00:00.000][7][info][config] [source/server/configuration_impl.cc:138] loading 1 cluster(s)\nconfiguration 'bootstrap.yaml' OK\nrc=0\n",
  'boot-typo.yaml': bootstrap.replace('envoy_grpc: { cluster_name: xds-grpc }', 'envoy_grpc: { cluster_name: istiod-xds }'),
  '05-typo.txt':
    "[2026-11-30 10:00:00.000][8][critical][main] [source/server/config_validation/server.cc:76] error initializing configuration 'boot-typo.yaml':  Unknown gRPC client  cluster 'istiod-xds'\nrc=1\n",
  '06-node.json': JSON.stringify({
    id: 'sidecar~10.0.0.7~payments-6d5f9.default~default.svc.cluster.local',
    cluster: 'payments.default',
    metadata: { WORKLOAD_NAME: 'payments', NAMESPACE: 'default', MESH_ID: 'cluster.local', CLUSTER_ID: 'Kubernetes' },
  }),
  '06-ready.txt': 'ready_code=503\nready_body=PRE_INITIALIZING\nconnected_state=0\n',
  '07-identity.txt':
    'token_volume=istio-token\ntoken_audience=istio-ca\ntoken_mount=/var/run/secrets/tokens\nca_configmap=istio-ca-root-cert\nca_mount=/var/run/secrets/istio\n',
  '08-report.md':
    'xds_address=istiod.istio-system.svc:15012\nxds_cluster=xds-grpc\ntypo_rc=1\nready_without_istiod=503\n' +
    '- CrashLoopBackOff: a name in the bootstrap is wrong\n- 503 and connected_state 0 -> nobody at 15012\n' +
    '- 503 with connected_state 1: istiod owes the clusters\n- no certificate because the audience is another one\n',
} as const;

export type StudentFile = keyof typeof rightFiles;

/** What is done to the right files: another content, a change of the text, or no file. */
export type Edits = Readonly<Partial<Record<StudentFile, string | Uint8Array | ((text: string) => string) | undefined>>>;

/** A folder with the right files, but for these edits; gone when the test is over. */
export function studentFolderWith(edits: Edits = {}, more: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'fake-istiod-lab-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(rightFiles) as readonly [StudentFile, string][]) {
    const edit = edits[name];
    if (name in edits && edit === undefined) continue;
    const content = edit === undefined ? text : typeof edit === 'function' ? edit(text) : edit;
    if (typeof edit === 'function' && content === text) throw new Error(`the edit of ${name} changes nothing`);
    writeFileSync(join(folder, name), content);
  }
  for (const [name, text] of Object.entries(more)) writeFileSync(join(folder, name), text);
  return folder;
}
