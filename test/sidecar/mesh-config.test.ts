import { describe, expect, it } from 'vitest';
import { problemText } from '../../src/errors.ts';
import { mergeProxyConfig } from '../../src/sidecar/merge-proxy-config.ts';
import type { MeshConfig } from '../../src/sidecar/mesh-config.ts';
import { inspectWorkload } from '../../src/sidecar/inspection.ts';
import { labFiles } from '../../src/sidecar/lab-lines.ts';
import { pickWorkload } from '../../src/sidecar/pick-workload.ts';
import { workloadProxyConfig } from '../../src/sidecar/proxy-config-layers.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import { readMeshConfig } from '../../src/sidecar/read-mesh-config.ts';
import type { InjectedWorkload } from '../../src/sidecar/workload.ts';
import { manifestText, type ManifestParts } from './manifest-text.ts';

const read = (text: string): MeshConfig => readMeshConfig({ name: 'mesh.yaml', bytes: Buffer.from(text) });
const workload = (parts: ManifestParts = {}): InjectedWorkload =>
  pickWorkload(readManifest({ name: 'm.yaml', bytes: Buffer.from(manifestText(parts)) }));

const address = 'istiod.mesh.svc:15012';
const mesh = `defaultConfig:\n  discoveryAddress: ${address}\nrootNamespace: mesh\ntrustDomain: lab.example\n`;
const indented = mesh.replaceAll(/^/gm, '    ').trimEnd();

describe('a mesh config', () => {
  it.each([
    ['MeshConfig', 'mesh-config', mesh, 2],
    ['with keys of the .proto file', 'mesh-config', mesh.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), 2],
    [
      'ConfigMap',
      'config-map',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: istio }\ndata:\n  mesh: |-\n${indented}\n  meshNetworks: "networks: {}"\n`,
      7,
    ],
    ['ConfigMap in quotes', 'config-map', `apiVersion: v1\nkind: ConfigMap\ndata: { mesh: ${JSON.stringify(mesh)} }\n`, 3],
    ['ConfigMap whose mesh is no text', 'config-map', `apiVersion: v1\nkind: ConfigMap\ndata:\n  mesh:\n${indented}\n`, 6],
    [
      'list of ConfigMaps',
      'config-map',
      `kind: List\nitems:\n- { kind: ConfigMap, data: { other: x } }\n- { kind: ConfigMap, data: { mesh: ${JSON.stringify(mesh)} } }\n`,
      4,
    ],
    [
      'IstioOperator',
      'istio-operator',
      `apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec:\n  meshConfig:\n${indented}\n`,
      6,
    ],
    [
      'Istio of the Sail operator',
      'istio-operator',
      `apiVersion: sailoperator.io/v1\nkind: Istio\nspec: { values: { meshConfig: ${JSON.stringify({ defaultConfig: { discoveryAddress: address }, rootNamespace: 'mesh', trustDomain: 'lab.example' })} } }\n`,
      3,
    ],
    ['Helm values', 'istio-operator', `global: {}\nmeshConfig:\n${indented}\n`, 4],
  ])('is read as %s', (_, form, text, line) => {
    expect(read(text)).toMatchObject({
      form,
      discoveryAddress: { value: address, source: 'mesh-config', at: { line } },
      rootNamespace: { value: 'mesh' },
      trustDomain: { value: 'lab.example' },
      warnings: [],
    });
  });

  it.each([
    ['YAML', 'proxy-config', `discoveryAddress: ${address}\nconcurrency: 2\n`],
    ['JSON', 'proxy-config', JSON.stringify({ discoveryAddress: address, concurrency: 2 })],
    [
      'a resource',
      'proxy-config-resource',
      'apiVersion: networking.istio.io/v1beta1\nkind: ProxyConfig\nspec: { concurrency: 2, environmentVariables: { A: "1" } }\n',
    ],
    ['text format', 'proxy-config-text', `discovery_address: "${address}"\nconcurrency { value: 2 }\n`],
  ])('may be a ProxyConfig alone: %s', (_, form, text) => {
    const { defaultConfig, discoveryAddress, rootNamespace, ...rest } = read(text);
    expect(rest).toMatchObject({ form });
    expect(defaultConfig).toMatchObject({ concurrency: 2 });
    expect(discoveryAddress.value).toBe(form === 'proxy-config-resource' ? 'istiod.istio-system.svc:15012' : address);
    expect(rootNamespace).toEqual({ value: 'istio-system', source: 'default' });
    if (form === 'proxy-config-resource') expect(defaultConfig).toMatchObject({ proxyMetadata: { A: '1' } });
  });

  it('says what is a default', () => {
    expect(read('enableTracing: false\n')).toMatchObject({
      discoveryAddress: { value: 'istiod.istio-system.svc:15012', source: 'default' },
      rootNamespace: { value: 'istio-system', source: 'default' },
      trustDomain: { value: 'cluster.local', source: 'default' },
    });
  });

  it('holds mesh networks beside it', () => {
    const text = `kind: ConfigMap\ndata:\n  mesh: "{}"\n  meshNetworks: |\n    networks:\n      net-1: { endpoints: [{ fromRegistry: east }] }\n`;
    expect(read(text).networks).toEqual({ networks: { 'net-1': { endpoints: [{ fromRegistry: 'east' }] } } });
  });

  it('warns of fields that Istio ignores, where they stand in the outer file', () => {
    const text = 'kind: ConfigMap\ndata:\n  mesh: |\n    rootNamespac: x\n    trustDomain: y\n';
    expect(read(text).warnings.map(problemText)).toEqual([
      expect.stringMatching(
        /^mesh\.yaml:4:5: data\.mesh > rootNamespac: unknown field "rootNamespac".* which Istio ignores\. Did you mean "rootNamespace"/,
      ),
    ]);
  });

  it('takes durations as Go writes them', () => {
    expect(read('connectTimeout: 1m30s\ndefaultConfig: { drainDuration: 500ms }\n').defaultConfig).toEqual({ drainDuration: '500ms' });
  });

  it.each([
    [
      'broken YAML in the ConfigMap',
      'kind: ConfigMap\ndata:\n  mesh: |\n    a: [1\n    b: 2\n',
      /^mesh\.yaml:5:5: data\.mesh: not valid YAML/,
    ],
    [
      'broken YAML in quotes in the ConfigMap',
      'kind: ConfigMap\ndata:\n  mesh: "a: 1\\nb: [1\\nc: 2"\n',
      /^mesh\.yaml:3:\d\d: data\.mesh: not valid YAML/,
    ],
    ['a wrong type', 'defaultConfig:\n  statusPort: many\n', /^mesh\.yaml:2:15: defaultConfig\.statusPort: expected a whole number/],
    ['an unknown value of an enum', 'accessLogEncoding: XML\n', /^mesh\.yaml:1:20: accessLogEncoding: .*XML/],
    ['a duration that is none', 'connectTimeout: soon\n', /^mesh\.yaml:1:17: connectTimeout: expected a duration/],
    [
      'a mesh that is a text in a text',
      'kind: ConfigMap\ndata:\n  mesh: "\'{}\'"\n',
      /^mesh\.yaml:3:10: data\.mesh: the mesh config is no mapping\. Are there quotes too many/,
    ],
    [
      'a ConfigMap of something else',
      'kind: ConfigMap\ndata: { values: "{}", config: x }\n',
      /^mesh\.yaml:1: is a ConfigMap without the key mesh \(it has values, config\)/,
    ],
    [
      'two of them',
      'kind: List\nitems: [{ kind: ConfigMap, metadata: { name: a }, data: { mesh: "" } }, { kind: ConfigMap, metadata: { name: b }, data: { mesh: "" } }]\n',
      /holds 2 mesh configs: a, b/,
    ],
    ['some other object', 'apiVersion: v1\nkind: Service\n', /^mesh\.yaml:1: is a Kubernetes Service, not a mesh config/],
    ['something else', 'static_resources: {}\n', /^mesh\.yaml:1: is no mesh config: it knows none of static_resources/],
    ['variables of a VM', 'ISTIO_META_CLUSTER_ID=x\nPOD_NAMESPACE=y\n', /^mesh\.yaml:1: is a file of environment variables/],
    [
      'text format with an unknown field',
      'concurrency { value: 2 }\nnot_there: 1\n',
      /^mesh\.yaml:2: not a istio\.mesh\.v1alpha1\.ProxyConfig in protobuf text format: .*not_there/,
    ],
    ['nothing', '', /^mesh\.yaml: the file is empty/],
  ])('is refused with one error: %s', (_, text, words) => {
    expect(() => read(text)).toThrow(words);
  });

  it('is the one named istio among several', () => {
    const other = `{ kind: ConfigMap, metadata: { name: istio-canary }, data: { mesh: "rootNamespace: c" } }`;
    const text = `kind: List\nitems: [${other}, ${other.replace('istio-canary', 'istio').replace(': c"', ': i"')}]\n`;
    expect(read(text).rootNamespace.value).toBe('i');
  });
});

describe("a workload's ProxyConfig", () => {
  it('is merged from the defaults to the annotation, a field at a time', () => {
    const env = ['{ name: PROXY_CONFIG, value: \'{"concurrency":3,"tracing":{"zipkin":{"address":"e:1"}},"proxyMetadata":{"B":"env"}}\' }'];
    const annotations = '{ proxy.istio.io/config: "concurrency: 4" }';
    const file = read('defaultConfig: { concurrency: 1, statusPort: 1, tracing: { sampling: 5 }, proxyMetadata: { A: mesh, B: mesh } }\n');
    const { value, origins } = workloadProxyConfig(workload({ env, annotations }), { mesh: file });
    expect(value).toMatchObject({ concurrency: 4, statusPort: 1, proxyAdminPort: 15000, proxyMetadata: { A: 'mesh', B: 'env' } });
    expect(value['tracing']).toEqual({ zipkin: { address: 'e:1' } });
    expect(Object.fromEntries(Object.entries(origins).map(([field, { source }]) => [field, source]))).toMatchObject({
      concurrency: 'annotation',
      statusPort: 'mesh-config',
      tracing: 'PROXY_CONFIG',
      'proxyMetadata.A': 'mesh-config',
      'proxyMetadata.B': 'PROXY_CONFIG',
      proxyAdminPort: 'default',
    });
  });

  it('takes the older annotations last, and legacy arguments before them', () => {
    const annotations =
      '{ proxy.istio.io/config: "discoveryAddress: a:1", sidecar.istio.io/discoveryAddress: "b:2", status.sidecar.istio.io/port: "16000" }';
    const { value } = workloadProxyConfig(workload({ annotations, args: '[proxy, sidecar, --concurrency, "5"]' }), { cpuLimit: 2 });
    expect(value).toMatchObject({ discoveryAddress: 'b:2', statusPort: 16000, concurrency: 5 });
  });

  it('takes the number of threads from the limit of CPUs if nobody else says', () => {
    const { value, origins } = workloadProxyConfig(workload(), { cpuLimit: 2 });
    expect(value['concurrency']).toBe(2);
    expect(origins['concurrency']).toEqual({ source: 'ISTIO_CPU_LIMIT' });
    expect(workloadProxyConfig(workload(), { cpuLimit: 0 }).value['concurrency']).toBeUndefined();
  });

  it('heeds the arguments of old releases for manifests of old releases', () => {
    const old = workload({
      args: '[proxy, sidecar, --discoveryAddress, "istio-pilot:15010", --statusPort, "15020", --serviceCluster=a.b]',
    });
    expect(workloadProxyConfig(old).value).toMatchObject({
      discoveryAddress: 'istio-pilot:15010',
      statusPort: 15020,
      serviceCluster: 'a.b',
    });
    expect(workloadProxyConfig(old, { oldArguments: false }).value).toMatchObject({ discoveryAddress: 'istiod.istio-system.svc:15012' });
  });

  it('has one of two names of its cluster, and keeps headers that are not named again', () => {
    const { value } = mergeProxyConfig([
      { source: 'default', value: { serviceCluster: 'x', proxyHeaders: { server: { disabled: true }, other: 1 } } },
      { source: 'annotation', value: { tracingServiceName: 'CANONICAL_NAME_ONLY', proxyHeaders: { requestId: {} } } },
    ]);
    expect(value).toEqual({ tracingServiceName: 'CANONICAL_NAME_ONLY', proxyHeaders: { server: { disabled: true }, requestId: {} } });
  });

  it.each([
    ['TLS to the plaintext port', 'discoveryAddress: i:15010', "i:15010 is istiod's plaintext port"],
    ['plaintext to the TLS port', 'controlPlaneAuthPolicy: NONE', 'controlPlaneAuthPolicy NONE makes pilot-agent speak plaintext'],
    ['a field that nobody knows', 'discoveryAdress: x', 'unknown field "discoveryAdress"'],
  ])('warns of %s', (_, config, words) => {
    const { warnings } = inspectWorkload(workload({ annotations: `{ proxy.istio.io/config: "${config}" }` }));
    expect(warnings).toEqual([expect.stringContaining(words)]);
  });
});

describe("the lab's files", () => {
  it('hold name=value lines', () => {
    const files = labFiles(workload(), read(mesh));
    expect(Object.fromEntries(files)).toEqual({
      '01-args.txt': 'role=sidecar\ndomain=$(POD_NAMESPACE).svc.cluster.local\nproxy_log_level=warning\ncomponent_log_level=misc:error\n',
      '02-env.txt':
        'CA_ADDR=istiod.istio-system.svc:15012\nPILOT_CERT_PROVIDER=istiod\nISTIO_META_CLUSTER_ID=east\nTRUST_DOMAIN=cluster.local\n' +
        'ISTIO_META_WORKLOAD_NAME=payments\nPOD_NAMESPACE=fieldRef:metadata.namespace\nSERVICE_ACCOUNT=fieldRef:spec.serviceAccountName\n',
      '03-mesh.txt': `discovery_address=${address}\nroot_namespace=mesh\ntrust_domain=lab.example\nca_addr_same=no\n`,
      '07-identity.txt':
        'token_volume=istio-token\ntoken_audience=istio-ca\ntoken_mount=/var/run/secrets/tokens\n' +
        'ca_configmap=istio-ca-root-cert\nca_mount=/var/run/secrets/istio\n',
    });
  });

  it.each([
    ['istiod.istio-system.svc:15012', 'yes'],
    ['istiod.istio-system.svc.:15012', 'no'],
    ['istiod.istio-system.svc:15012 ', 'no'],
  ])('compare CA_ADDR with %j character for character: %s', (discovery, same) => {
    const files = labFiles(workload(), read(JSON.stringify({ defaultConfig: { discoveryAddress: discovery } })));
    expect(files.get('03-mesh.txt')).toContain(`ca_addr_same=${same}\n`);
  });

  it('leave 03 to those who have a mesh config', () => {
    expect([...labFiles(workload()).keys()]).toEqual(['01-args.txt', '02-env.txt', '07-identity.txt']);
  });
});
