import type { Edits } from './student.ts';

const swap =
  (from: string | RegExp, to: string) =>
  (text: string): string =>
    text.replace(from, () => to);

/** What students do, by the name of its golden text. */
export const brokenFolders: Readonly<Record<string, Edits>> = {
  'args-expanded': { '01-args.txt': swap('$(POD_NAMESPACE)', 'default') },
  'args-form': {
    '01-args.txt': 'role = sidecar\ndomain="$(POD_NAMESPACE).svc.cluster.local"\nproxy-log-level=warning\nmisc:error\nrole=sidecar\n',
  },
  'args-swapped': {
    '01-args.txt': swap('proxy_log_level=warning\ncomponent_log_level=misc:error', 'proxy_log_level=misc:error\ncomponent_log_level='),
  },
  'args-a-manifest': { '01-args.txt': 'args:\n- proxy\n- sidecar\n- --domain\n- $(POD_NAMESPACE).svc.cluster.local\n' },
  'env-values': {
    '02-env.txt': (text) =>
      text
        .replace('fieldRef:metadata.namespace', 'default')
        .replace('fieldRef:spec.serviceAccountName', 'fieldRef:metadata.name')
        .replace('=Kubernetes', '=kubernetes'),
  },
  'env-lines-missing': { '02-env.txt': 'CA_ADDR=istiod.istio-system:15012\n' },
  'env-not-in-manifest': { 'inject.yaml': swap('- name: TRUST_DOMAIN', '- name: OTHER_DOMAIN') },
  'mesh-wrong': {
    '03-mesh.txt': 'discovery_address=istiod:15012\nroot_namespace=default\ntrust_domain=Cluster.Local\nca_addr_same=true\n',
  },
  'mesh-ca-differs': { 'mesh-config.yaml': swap('istiod.istio-system.svc:15012', 'istiod.istio-system.svc.cluster.local:15012') },
  'mesh-by-default': { 'mesh-config.yaml': swap('rootNamespace: istio-system\n', ''), '03-mesh.txt': swap('=istio-system', '=istio') },
  'bootstrap-node': {
    'bootstrap.yaml': (text) => text.replace('payments-6d5f9.default~', 'payments-6d5f9~').replace('CLUSTER_ID: Kubernetes, ', ''),
  },
  'bootstrap-id-fields': { 'bootstrap.yaml': swap('sidecar~10.0.0.7~', 'sidecar~') },
  'bootstrap-id-unexpanded': { 'bootstrap.yaml': swap('~default.svc', '~$(POD_NAMESPACE).svc') },
  'bootstrap-false-live': {
    'bootstrap.yaml': (text) =>
      text.replace('cds_config: { ads: {}, initial_fetch_timeout: 0s', 'cds_config: { ads: {}').replace('0s', '15s'),
  },
  'bootstrap-clusters': {
    'bootstrap.yaml': (text) =>
      text
        .replace('type: STRICT_DNS', 'type: STATIC')
        .replace('port_value: 15012', 'port_value: 15010')
        .replace('{ http2_protocol_options: {} }', '{}')
        .replace('9982', '15000'),
  },
  'bootstrap-other-name': { 'bootstrap.yaml': swap('- name: xds-grpc', '- name: istiod') },
  'bootstrap-rest': {
    'bootstrap.yaml': (text) => text.replace('GRPC', 'REST').replace('{ ads: {}, ', '{ path_config_source: { path: x }, '),
  },
  'bootstrap-not-yaml': { 'bootstrap.yaml': 'node: [1\n' },
  'bootstrap-nothing': { 'bootstrap.yaml': 'a: 1\n' },
  'validate-stderr-only': { '04-validate.txt': swap("configuration 'bootstrap.yaml' OK\n", '') },
  'validate-refused': {
    '04-validate.txt': "error initializing configuration 'bootstrap.yaml': Protobuf message has unknown fields\nrc=1\n",
  },
  'validate-other-file': { '04-validate.txt': "configuration 'boot-typo.yaml' OK\nrc=0\nafterwards\n" },
  'validate-only-rc': { '04-validate.txt': 'rc=0\n' },
  'typo-both': { 'boot-typo.yaml': (text) => text.replace('- name: xds-grpc', '- name: istiod-xds') },
  'typo-more': { 'boot-typo.yaml': (text) => text.replace('port_value: 9982', 'port_value: 9983') },
  'typo-none': { 'boot-typo.yaml': swap('istiod-xds', 'xds-grpc') },
  'typo-tee': { '05-typo.txt': swap('rc=1', 'rc=0') },
  'typo-accepted': { '05-typo.txt': "configuration 'boot-typo.yaml' OK\n" },
  'typo-other-reason': { '05-typo.txt': 'Unable to parse JSON as proto (INVALID_ARGUMENT: no such field)\nrc=1\n' },
  'typo-older-name': { '05-typo.txt': swap('istiod-xds', 'xds-istiod') },
  'node-whole-dump': { '06-node.json': '{"configs":[]}' },
  'node-extra': { '06-node.json': swap('{"id"', '{"user_agent_name":"envoy","extensions":[],"id"') },
  'node-of-another': { '06-node.json': swap('"payments.default"', '"orders.default"') },
  'node-a-list': { '06-node.json': '[]' },
  'ready-live': { '06-ready.txt': 'ready_code=200\nready_body=LIVE\nconnected_state=1\n' },
  'ready-too-early': { '06-ready.txt': 'ready_code=000\nready_body=\n' },
  'identity-mixed-up': {
    '07-identity.txt':
      'token_volume=token\ntoken_audience=istio-token\ntoken_mount=/var/run/secrets/tokens/istio-token\nca_configmap=istiod-ca-cert\nca_mount=/var/run/secrets/tokens\n',
  },
  'report-wrong': {
    '08-report.md':
      '# What I found\nxds_address=istiod\nxds_cluster=istiod-xds\ntypo_rc=0\n\n- CrashLoop: a typo\n- bad luck\n- crashloop: a TYPO\n',
  },
  'files-of-all-sorts': {
    '01-args.txt': '',
    '02-env.txt': '   \n\n',
    '03-mesh.txt': Buffer.from([0x72, 0, 0x3d]),
    '04-validate.txt': undefined,
    '05-typo.txt': Buffer.from('\ufefframe', 'utf16le'),
    '06-node.json': '{"id": ',
    '06-ready.txt': `${'x'.repeat(40_000)}\n`,
    '07-identity.txt': Buffer.from([0xff, 0x61]),
  },
  'no-manifest': { 'inject.yaml': undefined },
  'manifest-not-injected': { 'inject.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { containers: [{ name: app }] }\n' },
  'mesh-config-broken': { 'mesh-config.yaml': 'defaultConfig: { discoveryAddress: 3\n' },
};
