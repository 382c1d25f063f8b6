import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, type Outcome } from './fake-terminal.ts';
import { workFolder } from './work-folder.ts';

const manifest = `apiVersion: apps/v1
kind: Deployment
metadata: { name: payments, namespace: default }
spec:
  template:
    metadata:
      labels: { app: payments }
      annotations: { sidecar.istio.io/bootstrapOverride: mine }
    spec:
      serviceAccountName: payments
      containers:
      - name: istio-proxy
        image: docker.io/istio/proxyv2:1.26.2
        args: [proxy, sidecar, --domain, $(POD_NAMESPACE).svc.cluster.local]
        env:
        - { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
        - { name: POD_NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
        - { name: INSTANCE_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
        - { name: ISTIO_CPU_LIMIT, valueFrom: { resourceFieldRef: { resource: limits.cpu } } }
        - { name: PROXY_CONFIG, value: '{"discoveryAddress":"istiod-canary.istio-system.svc:15012"}' }
        - { name: ISTIO_META_CLUSTER_ID, value: Kubernetes }
        - { name: ISTIO_META_MESH_ID, value: cluster.local }
        - { name: ISTIO_META_WORKLOAD_NAME, value: payments }
        - { name: ISTIO_META_GREETING, value: "hello $(POD_NAME) of $(NOBODY)" }
        - { name: ISTIO_BOOTSTRAP_OVERRIDE, value: /etc/istio/custom-bootstrap/custom_bootstrap.json }
        volumeMounts: [{ name: istio-podinfo, mountPath: /etc/istio/pod }]
`;
const override = `---
apiVersion: v1
kind: ConfigMap
metadata: { name: mine }
data:
  custom_bootstrap.json: |
    {"dynamic_resources": {"ads_config": {"grpc_services": [{"envoy_grpc": {"cluster_name": "istiod-xds"}}]}}}
`;

/** Runs `bootstrap` on a manifest; its folder is left out of what is said. */
async function bootstrap(text: string, ...options: string[]): Promise<Outcome & { readonly folder: string }> {
  const folder = workFolder({ 'inject.yaml': text, 'mesh.yaml': 'defaultConfig: { proxyAdminPort: 15099 }\n' });
  const args = options.map((option) => option.replace('DIR', folder));
  const { code, stdout, stderr } = await cli(['bootstrap', '--manifest', join(folder, 'inject.yaml'), ...args], {});
  const short = (said: string): string => said.replaceAll(`${folder}/`, '');
  return { code, stdout: short(stdout), stderr: short(stderr), folder };
}

const pod = ['--pod-ip', '10.0.0.7', '--pod-name', 'payments-6d5f9'];
const read = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

describe('bootstrap --manifest', () => {
  it('writes what pilot-agent of the release of the image writes', async () => {
    const { code, stdout } = await bootstrap(manifest, ...pod, '--node-cpu', '3500m', '--mesh-config', 'DIR/mesh.yaml');
    expect(code).toBe(0);
    expect(read(stdout)).toMatchObject({
      node: {
        id: 'sidecar~10.0.0.7~payments-6d5f9.default~default.svc.cluster.local',
        cluster: 'payments.default',
        metadata: {
          ISTIO_VERSION: '1.26.2',
          GREETING: 'hello payments-6d5f9 of $(NOBODY)',
          PILOT_SAN: ['istiod-canary.istio-system.svc'],
          PROXY_CONFIG: { concurrency: 4, proxyAdminPort: 15_099 },
        },
      },
      admin: { address: { socket_address: { port_value: 15_099 } } },
    });
    expect(stdout).toContain('"overload.global_downstream_max_connections": "2147483647"');
  });

  it('says on stderr what it cannot know, with its place', async () => {
    const { stderr } = await bootstrap(manifest, ...pod);
    expect(stderr).toContain(
      'inject.yaml:19:11: spec.template.spec.containers[0].env[3]: ISTIO_CPU_LIMIT is left out: the container has no limits.cpu',
    );
    expect(stderr).toMatch(/inject\.yaml:24:\d+: .*refers to \$\(NOBODY\), which is not set before it/);
    expect(stderr).toContain(
      "the pod's bootstrap override (ConfigMap mine) is not in inject.yaml: it is not merged. Give it with --bootstrap-override FILE",
    );
  });

  it('writes the lesson: four keys, one cluster, straight to istiod', async () => {
    const { stdout } = await bootstrap(manifest, ...pod, '--shape', 'lesson', '--cluster-id', 'east');
    const made = read(stdout);
    expect(made['node']).toEqual({
      id: 'sidecar~10.0.0.7~payments-6d5f9.default~default.svc.cluster.local',
      cluster: 'payments.default',
      metadata: { CLUSTER_ID: 'east', MESH_ID: 'cluster.local', NAMESPACE: 'default', WORKLOAD_NAME: 'payments' },
    });
    expect(made).toMatchObject({
      admin: { address: { socket_address: { port_value: 9982 } } },
      dynamic_resources: { cds_config: { initial_fetch_timeout: '0s' }, lds_config: { initial_fetch_timeout: '0s' } },
      static_resources: { clusters: [{ name: 'xds-grpc', type: 'STRICT_DNS' }] },
    });
    expect(stdout).toContain('"address": "istiod-canary.istio-system.svc"');
  });

  it('merges the override that stands in the same file as Envoy would', async () => {
    const { stdout } = await bootstrap(`${manifest}${override}`, ...pod);
    expect(read(stdout)).toMatchObject({
      dynamic_resources: {
        ads_config: { grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }, { envoy_grpc: { cluster_name: 'istiod-xds' } }] },
      },
    });
  });

  it('refuses an override that is one quoted text, as Envoy does', async () => {
    const quoted = `---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: mine }\ndata: { custom_bootstrap.json: "'{}'" }\n`;
    const { code, stderr } = await bootstrap(`${manifest}${quoted}`, ...pod);
    expect(code).toBe(2);
    expect(stderr).toMatch(/inject\.yaml:31:\d+: .*the bootstrap override is one text: Envoy exits with `Unable to convert YAML as JSON`/);
  });

  it('tells where each part comes from', async () => {
    const { stdout } = await bootstrap(manifest, ...pod, '--mesh-config', 'DIR/mesh.yaml', '--explain');
    expect(stdout).toContain('node.metadata.CLUSTER_ID = "Kubernetes"\n    <- env ISTIO_META_CLUSTER_ID (inject.yaml:21)\n');
    expect(stdout).toContain('admin.address.socket_address.port_value = 15099\n    <- proxyAdminPort of mesh config (mesh.yaml:1)\n');
    expect(stdout).toContain(
      'node.metadata.PROXY_CONFIG.discoveryAddress = "istiod-canary.istio-system.svc:15012"\n    <- discoveryAddress of env PROXY_CONFIG (inject.yaml:20)',
    );
    expect(stdout).toContain('dynamic_resources.ads_config.api_type = "DELTA_GRPC"\n    <- pilot-agent\'s default');
    expect(stdout).toMatch(/node\.id = .*\n {4}<- .*--pod-ip.*--pod-name/);
  });

  it('gives a program one document, and writes the bootstrap to a file', async () => {
    const { stdout, stderr, folder } = await bootstrap(manifest, ...pod, '--json', '--explain', '-o', 'DIR/out.yaml');
    const made = read(stdout) as { readonly explain: readonly object[] };
    expect(made).toMatchObject({ istio: { version: '1.26.2', template: '1.26' }, env: { POD_NAME: 'payments-6d5f9' } });
    expect(made.explain).toContainEqual({
      path: 'node.metadata.CLUSTER_ID',
      value: 'Kubernetes',
      from: [expect.objectContaining({ text: 'env ISTIO_META_CLUSTER_ID' })],
    });
    expect(stderr).toMatch(/^out\.yaml written; pilot-agent starts Envoy with: -c etc\/istio\/proxy\/envoy-rev\.json /);
    expect(readFileSync(join(folder, 'out.yaml'), 'utf8')).toMatch(/^application_log_config:/);
  });

  it('takes a running pod as it is, without any option', async () => {
    const running = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-1', namespace: 'demo', labels: { 'pod-template-hash': 'x', app: 'web' } },
      spec: {
        nodeName: 'node-1',
        containers: [
          {
            name: 'istio-proxy',
            args: ['proxy', 'sidecar'],
            env: ['metadata.name', 'metadata.namespace', 'status.podIP', 'spec.nodeName'].map((fieldPath, i) => ({
              name: ['POD_NAME', 'POD_NAMESPACE', 'INSTANCE_IP', 'ISTIO_META_NODE_NAME'][i],
              valueFrom: { fieldRef: { fieldPath } },
            })),
          },
        ],
      },
      status: { podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }, { ip: 'fd00::3' }] },
    });
    const { code, stdout } = await bootstrap(running);
    expect(code).toBe(0);
    expect(read(stdout)['node']).toMatchObject({
      id: 'sidecar~10.1.2.3~web-1.demo~demo.svc.cluster.local',
      metadata: { INSTANCE_IPS: '10.1.2.3,fd00::3', NODE_NAME: 'node-1', LABELS: { app: 'web' } },
    });
  });
});

const refused: readonly (readonly [what: string, text: string, options: readonly string[], said: RegExp])[] = [
  [
    'without a pod',
    manifest,
    [],
    /inject\.yaml:6:\d+: .*the pod's IP and name are known only when it runs\. Give --pod-ip 10\.0\.0\.7 --pod-name payments-6d5f9/,
  ],
  [
    'a role that the release does not know',
    manifest.replace('proxy, sidecar', 'proxy, ingress'),
    pod,
    /pilot-agent of 1\.26 does not know the role "ingress" and exits/,
  ],
  [
    'a log level that is none',
    manifest.replace('--domain,', '--log_output_level, "<nil>", --domain,'),
    pod,
    /--log_output_level has "<nil>", and pilot-agent exits/,
  ],
  [
    'an address that is none',
    manifest.replace('svc:15012', 'svc'),
    pod,
    /inject\.yaml:20:\d+: .*discoveryAddress is "istiod-canary\.istio-system\.svc", no host:port: pilot-agent exits/,
  ],
  [
    'a boolean that is none',
    manifest.replace('ISTIO_META_GREETING', 'ISTIO_META_DNS_CAPTURE'),
    pod,
    /inject\.yaml:24:\d+: .*ISTIO_META_DNS_CAPTURE is "hello .*", and pilot-agent exits: it expects true or false/,
  ],
  [
    'a release that is none',
    manifest,
    [...pod, '--istio-version', 'new'],
    /--istio-version "new" is no release of Istio\. Write it as 1\.31 or 1\.26\.3/,
  ],
  ['an IP that is none', manifest, ['--pod-ip', '10.0'], /--pod-ip: "10\.0" is not an IP address/],
  ['an environment that is none', manifest, ['--env', 'A'], /--env: "A" is not NAME=VALUE/],
  ['a scenario beside the manifest', manifest, ['false-live'], /--manifest and a scenario exclude each other/],
];

describe('bootstrap --manifest refuses', () => {
  it.each(refused)('%s', async (_, text, options, said) => {
    const { code, stdout, stderr } = await bootstrap(text, ...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(said);
  });

  it('its options where there is no manifest', async () => {
    expect(await cli(['bootstrap', '--pod-ip', '10.0.0.7'], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--pod-ip needs --manifest') as string,
    });
    expect(await cli(['bootstrap', '--shape', 'pilot-agent'], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--shape pilot-agent needs --manifest') as string,
    });
  });
});
