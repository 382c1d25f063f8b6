import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBootstrap, type MadeBootstrap } from '../../src/sidecar/make-bootstrap.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import { createMissing } from '../../src/ca/pki-creation.ts';
import { systemClock } from '../../src/clock.ts';
import { agentFiles, type AgentFiles } from './agent-files.ts';
import { openNamespace, whyNoNamespace } from './namespace.ts';
import { buildLimitMs, peerBinary, whyNoPeers } from './peer-binary.ts';

/** A pod of one peculiarity. */
interface Pod {
  readonly title: string;
  readonly role?: string;
  readonly ip?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly proxyConfig?: object;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

const tls = {
  mode: 'MUTUAL',
  clientCertificate: '/c.pem',
  privateKey: '/k.pem',
  caCertificates: '/ca.pem',
  sni: 'als',
  subjectAltNames: ['a', 'b'],
};

const pods: readonly Pod[] = [
  { title: 'a sidecar of nothing but defaults' },
  { title: 'a gateway', role: 'router' },
  { title: 'a waypoint, whose xDS is delta whatever is said', role: 'waypoint', env: { ISTIO_DELTA_XDS: 'false' } },
  {
    title: 'state of the world, DNS capture and keys of its own',
    env: { ISTIO_DELTA_XDS: 'false', ISTIO_META_DNS_CAPTURE: '1', ISTIO_META_LAB: 'yes' },
  },
  { title: 'HBONE', env: { ISTIO_META_ENABLE_HBONE: 'true' } },
  { title: 'HBONE over the state of the world', env: { ISTIO_META_ENABLE_HBONE: 'true', ISTIO_DELTA_XDS: 'false' } },
  {
    title: 'zipkin over TLS',
    proxyConfig: { tracing: { zipkin: { address: 'zipkin.obs:9411' }, tlsSettings: { mode: 'ISTIO_MUTUAL' }, sampling: 12.5 } },
  },
  { title: 'datadog on its node', env: { HOST_IP: '10.0.0.1' }, proxyConfig: { tracing: { datadog: { address: '$(HOST_IP):8126' } } } },
  {
    title: 'lightstep',
    proxyConfig: {
      tracing: { lightstep: { address: 'ls.obs:443', accessToken: 'x' }, tlsSettings: { mode: 'SIMPLE', caCertificates: '/ca.pem' } },
    },
  },
  {
    title: 'OpenCensus, of which the bootstrap holds nothing',
    proxyConfig: { tracing: { openCensusAgent: { address: 'oc.obs:55678', context: ['B3'] } } },
  },
  {
    title: 'a metrics and an access log service',
    proxyConfig: {
      envoyMetricsService: { address: 'ms.obs:15000', tcpKeepalive: { probes: 3, time: '10s', interval: '7s' } },
      envoyAccessLogService: { address: 'als.obs:15001', tlsSettings: tls },
    },
  },
  {
    title: 'stats of its own by ProxyConfig',
    proxyConfig: {
      proxyStatsMatcher: { inclusionPrefixes: ['http.{pod_ip}_'], inclusionRegexps: ['a\\.b'] },
      extraStatTags: ['t1', 't2'],
      statsCompression: false,
    },
  },
  {
    title: 'stats of its own by annotations',
    annotations: {
      'sidecar.istio.io/statsInclusionSuffixes': 'x,y',
      'sidecar.istio.io/extraStatTags': 't',
      'sidecar.istio.io/statsHistogramBuckets': '{"b":[1,2.5],"a":[3]}',
      'sidecar.istio.io/statsFlushInterval': '10s',
      'sidecar.istio.io/statsEvictionInterval': '1m',
    },
  },
  { title: 'runtime values', proxyConfig: { runtimeValues: { a: 'true', b: '7', 're2.max_program_size.error_level': '' } } },
  { title: 'a limit of connections', proxyConfig: { proxyMetadata: { ISTIO_META_GLOBAL_DOWNSTREAM_MAX_CONNECTIONS: '5000' } } },
  {
    title: 'ports and durations of its own',
    proxyConfig: { proxyAdminPort: 15_099, statusPort: 15_030, drainDuration: '1m5s', concurrency: 3 },
    env: { ENVOY_STATUS_PORT: '15031', ENVOY_PROMETHEUS_PORT: '15091' },
  },
  { title: 'metrics for its own host alone', proxyConfig: { proxyMetadata: { METRICS_LOCALHOST_ACCESS_ONLY: 'true' } } },
  {
    title: 'metrics over mTLS, and knowledge of itself',
    env: {
      ENVOY_SECURE_METRICS_PORT: '15092',
      ENVOY_SECURE_MERGED_METRICS_PORT: '15093',
      ISTIO_META_ENABLE_SELF_DISCOVERY: 'true',
      DNS_PROXY_ADDR: 'localhost:15053',
    },
  },
  { title: 'no TLS to istiod', proxyConfig: { controlPlaneAuthPolicy: 'NONE', discoveryAddress: 'istiod.istio-system.svc:15010' } },
  { title: 'two address families', ip: 'fd00::7', env: { ISTIO_DUAL_STACK: 'true' } },
  { title: 'two address families of which it takes one', ip: 'fd00::7' },
  {
    title: 'labels of place and name',
    labels: { 'topology.istio.io/locality': 'eu.west.1', 'app.kubernetes.io/name': 'shop', 'pod-template-hash': 'abc' },
  },
  {
    title: 'the canonical name in tracing',
    labels: { app: 'a', 'service.istio.io/canonical-name': 'c' },
    proxyConfig: { tracingServiceName: 'CANONICAL_NAME_AND_NAMESPACE' },
  },
  { title: 'metadata as JSON', env: { ISTIO_METAJSON_LABELS: '{"a":"b","version":"v1"}', ISTIO_METAJSON_X: '{"K":{"l":[1]}}' } },
  {
    title: 'an exit without connections',
    env: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true' },
    args: ['--outlierLogPath', '/dev/stdout', '--log_as_json'],
  },
  {
    title: 'the standard of an authority',
    env: { COMPLIANCE_POLICY: 'fips-140-2', HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED: 'false' },
  },
];

const whyNot = whyNoPeers() ?? whyNoNamespace();
if (whyNot !== undefined) console.log(`the bootstrap is not compared with pilot-agent's: ${whyNot}`);

describe.skipIf(whyNot !== undefined)("pilot-agent's own bootstrap is ours, for a pod with", () => {
  let pilotAgent: string;
  let files: AgentFiles;
  beforeAll(async () => {
    pilotAgent = await peerBinary('pilot-agent');
    files = await filesWithRoot();
    // pilot-agent removes its bootstrap when Envoy ends.
    const recorder = `#!/bin/sh\ncp "$2" '${files.folder}/recorded.json'\nprintf '%s\\n' "$@" > '${files.folder}/recorded.args'\necho recorded\n`;
    writeFileSync(join(files.folder, 'envoy'), recorder, { mode: 0o755 });
    files.writeToken('none');
  }, buildLimitMs);
  afterAll(() => files?.remove());

  it.each(pods)('$title', async (pod) => {
    const made = ours(pod);
    const theirs = await written(pod, made);
    expect(made.bootstrap).toEqual({ ...theirs.bootstrap, node: withOurVersion(theirs.bootstrap, made) });
    expect(['-c', ...made.envoyArgs.slice(1)]).toEqual(theirs.args);
  });

  function ours(pod: Pod): MadeBootstrap {
    const manifest = readManifest({ name: 'pod.yaml', bytes: Buffer.from(JSON.stringify(manifestOf(pod, files.folder))) });
    const [workload] = manifest.workloads;
    if (!workload) throw new Error('the manifest has no proxy');
    const ip = pod.ip ?? '10.10.1.7';
    return makeBootstrap(manifest, workload, { shape: 'pilot-agent', podIps: [ip, interfaceAddress], istioVersion: '1.31' });
  }

  /** What pilot-agent writes, and the arguments that it gives Envoy. */
  async function written(
    { labels = {}, annotations = {} }: Pod,
    { start }: MadeBootstrap,
  ): Promise<{ bootstrap: { node: { metadata: object } }; args: string[] }> {
    const downward = (map: Readonly<Record<string, string>>): string =>
      Object.entries(map)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}\n`)
        .join('');
    const folder = join(files.folder, 'etc/istio/pod');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'labels'), downward(labels));
    writeFileSync(join(folder, 'annotations'), downward(annotations));
    const env = Object.fromEntries([...start.env].map(([name, { value }]) => [name, value]));
    await using namespace = openNamespace(['istiod.istio-system.svc']);
    expect(namespace.address).toBe(interfaceAddress);
    const running = namespace.start(pilotAgent, [...start.args], { cwd: files.folder, env: { CLOUD_PLATFORM: 'none', ...env } });
    await running.line(/^recorded$/);
    const recorded = (name: string): string => readFileSync(join(files.folder, name), 'utf8');
    return {
      bootstrap: JSON.parse(recorded('recorded.json')) as { node: { metadata: object } },
      args: recorded('recorded.args').trimEnd().split('\n'),
    };
  }
});

/** The binary is built without a version. */
function withOurVersion({ node }: { readonly node: { readonly metadata: object } }, { bootstrap }: MadeBootstrap): object {
  const { metadata } = bootstrap['node'] as { readonly metadata: { readonly ISTIO_VERSION: string } };
  return { ...node, metadata: { ...node.metadata, ISTIO_VERSION: metadata.ISTIO_VERSION } };
}

/** What pilot-agent appends of its interfaces to INSTANCE_IP. */
const interfaceAddress = '10.199.0.2';

async function filesWithRoot(): Promise<AgentFiles> {
  const pki = mkdtempSync(join(tmpdir(), 'fake-istiod-root-'));
  await createMissing(pki, { clock: systemClock });
  const files = await agentFiles(pki);
  rmSync(pki, { recursive: true });
  return files;
}

function manifestOf(
  { role = 'sidecar', ip = '10.10.1.7', env = {}, proxyConfig = {}, labels = {}, annotations = {}, args = [] }: Pod,
  folder: string,
): object {
  const all = {
    POD_NAME: 'shop-1',
    POD_NAMESPACE: 'demo',
    SERVICE_ACCOUNT: 'shop',
    INSTANCE_IP: ip,
    ISTIO_META_CLUSTER_ID: 'Kubernetes',
    ISTIO_META_WORKLOAD_NAME: 'shop',
    PROXY_CONFIG: JSON.stringify({ binaryPath: join(folder, 'envoy'), ...proxyConfig }),
    ...env,
  };
  const proxy = {
    name: 'istio-proxy',
    image: 'docker.io/istio/proxyv2:latest',
    args: ['proxy', role, '--domain', '$(POD_NAMESPACE).svc.cluster.local', '--proxyLogLevel=warning', ...args],
    env: Object.entries(all).map(([name, value]) => ({ name, value })),
    volumeMounts: [{ name: 'istio-podinfo', mountPath: '/etc/istio/pod' }],
  };
  const spec = { containers: [proxy], volumes: [{ name: 'istio-podinfo', downwardAPI: {} }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'shop-1', namespace: 'demo', labels, annotations }, spec };
}
