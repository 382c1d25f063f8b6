import { describe, expect, it } from 'vitest';
import { problemText } from '../../src/errors.ts';
import { inspectWorkload } from '../../src/sidecar/inspection.ts';
import { formText } from '../../src/sidecar/manifest-form.ts';
import { pickWorkload, pickWorkloads } from '../../src/sidecar/pick-workload.ts';
import { envText } from '../../src/sidecar/read-env.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import type { InjectedWorkload, Manifest } from '../../src/sidecar/workload.ts';
import { manifestText, type ManifestParts } from './manifest-text.ts';

const read = (text: string): Manifest => readManifest({ name: 'm.yaml', bytes: Buffer.from(text) });
const only = (parts: ManifestParts = {}): InjectedWorkload => pickWorkload(read(manifestText(parts)));

/** A pod with these containers, in flow YAML. */
const pod = (containers: string, more = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: p${more} }\nspec: { containers: ${containers} }\n`;
const agent = '{ name: istio-proxy, args: [proxy, sidecar] }';

describe('an injected manifest', () => {
  it('tells what the proxy is, and where', () => {
    const workload = only();
    expect(workload).toMatchObject({ kind: 'Deployment', name: 'payments', namespace: 'shop', flavour: 'sidecar', appContainers: ['app'] });
    expect(workload.proxy).toMatchObject({ name: 'istio-proxy', native: false, args: { role: 'sidecar' } });
    expect(workload.pod).toMatchObject({ serviceAccount: 'pay', labels: { app: 'payments' }, hostNetwork: false });
    expect(workload.form).toMatchObject({ imageRelease: '1.30.1' });
    expect(workload.positionOf(workload.proxy.path)).toMatchObject({ file: 'm.yaml', line: 17 });
    expect(workload.warnings).toEqual([]);
  });

  it('keeps variables in order, each with where its value comes from', () => {
    const { proxy } = only({
      env: [
        '{ name: LIMIT, valueFrom: { resourceFieldRef: { resource: limits.cpu, divisor: "1" } } }',
        '{ name: KEY, valueFrom: { secretKeyRef: { name: s, key: k, optional: true } } }',
        '{ name: MAP, valueFrom: { configMapKeyRef: { name: c, key: k } } }',
        `{ name: LABEL, valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } }`,
        '{ name: EMPTY }',
      ],
    });
    expect(proxy.env.map((entry) => `${entry.name}=${envText(entry)}`).slice(2)).toEqual([
      'POD_NAME=fieldRef:metadata.name',
      'POD_NAMESPACE=fieldRef:metadata.namespace',
      'SERVICE_ACCOUNT=fieldRef:spec.serviceAccountName',
      'ISTIO_META_CLUSTER_ID=east',
      'ISTIO_META_WORKLOAD_NAME=payments',
      'TRUST_DOMAIN=cluster.local',
      'LIMIT=resourceFieldRef:limits.cpu',
      'KEY=secretKeyRef:s/k',
      'MAP=configMapKeyRef:c/k',
      "LABEL=fieldRef:metadata.labels['app']",
      'EMPTY=',
    ]);
  });

  it('tells the two volumes that identity starts from', () => {
    expect(only().identity).toMatchObject({
      token: {
        volume: 'istio-token',
        audience: 'istio-ca',
        expirationSeconds: 43200,
        file: 'istio-token',
        mountPath: '/var/run/secrets/tokens',
      },
      ca: { volume: 'istiod-ca-cert', object: 'istio-ca-root-cert', source: 'configMap', mountPath: '/var/run/secrets/istio' },
    });
  });

  it.each([
    ['Deployment', manifestText()],
    ['Rollout', manifestText({ kind: 'Rollout' })],
    ['Pod', pod(`[${agent}]`)],
    [
      'CronJob',
      `apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: c }\nspec: { jobTemplate: { spec: { template: { spec: { containers: [${agent}] } } } } }`,
    ],
    [
      'List of lists',
      `apiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: PodList, items: [{ apiVersion: v1, kind: Pod, metadata: { name: p }, spec: { containers: [${agent}] } }] }`,
    ],
    [
      'JSON',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'istio-proxy', args: ['proxy', 'sidecar'] }] },
      }),
    ],
    ['other name', pod('[{ name: mesh, args: [proxy, sidecar] }]')],
  ])('has a proxy as %s', (_, text) => {
    expect(read(text).workloads).toHaveLength(1);
  });

  it.each([
    ['a gateway', '{ name: istio-proxy, args: [proxy, router] }', 'gateway'],
    ['a waypoint', '{ name: istio-proxy, args: [proxy, waypoint] }', 'waypoint'],
    [
      'an agent without Envoy',
      '{ name: istio-proxy, args: [proxy, sidecar], env: [{ name: DISABLE_ENVOY, value: "true" }] }',
      'proxyless-grpc',
    ],
  ])('is told as %s', (_, container, flavour) => {
    expect(pickWorkload(read(pod(`[${container}]`))).flavour).toBe(flavour);
  });

  it('has a native sidecar in its init containers', () => {
    const text = `apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec:\n  initContainers:\n  - { name: istio-proxy, restartPolicy: Always, args: [proxy, sidecar] }\n  containers: [{ name: app }]\n`;
    expect(pickWorkload(read(text)).proxy.native).toBe(true);
    expect(pickWorkload(read(text)).warnings).toEqual([]);
    expect(pickWorkload(read(text.replace('restartPolicy: Always, ', ''))).warnings.map(problemText)).toEqual([
      expect.stringContaining('m.yaml:6:5: spec.initContainers[0]: init container istio-proxy has no restartPolicy: Always'),
    ]);
  });

  it.each([
    ['Istio 1.0', '[proxy, sidecar, --discoveryRefreshDelay, 1s]', []],
    ['Istio 1.5', '[proxy, sidecar, --discoveryAddress, "istio-pilot:15010"]', ['CA_ADDR']],
    ['Istio 1.7', '[proxy, sidecar, --trust-domain=cluster.local]', ['CA_ADDR', 'PROXY_CONFIG', 'DNS_AGENT']],
    ['Istio 1.19 or later', '[proxy, router]', ['GOMEMLIMIT']],
  ])('is of %s', (form, args, names) => {
    const env = names.map((name) => `{ name: ${name}, value: x }`).join(', ');
    const text = pod(
      `[{ name: istio-proxy, args: ${args}, env: [${env}], volumeMounts: [${form === 'Istio 1.7' ? '{ name: istio-data, mountPath: /x }' : ''}] }]`,
    );
    expect(formText(pickWorkload(read(text)).form)).toBe(form);
  });

  it('takes addresses and names of a running pod', () => {
    const text = `${pod(`[${agent}]`, ', namespace: n, uid: u')}status: { podIP: 10.0.0.7, podIPs: [{ ip: 10.0.0.7 }, { ip: "fd00::7" }], hostIP: 10.1.0.1 }\n`;
    expect(pickWorkload(read(text)).pod).toMatchObject({
      name: 'p',
      namespace: 'n',
      uid: 'u',
      podIps: ['10.0.0.7', 'fd00::7'],
      hostIps: ['10.1.0.1'],
    });
  });

  it('keeps ConfigMaps, which an override may be in', () => {
    const text = `${manifestText()}---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: o }\ndata: { custom_bootstrap.json: "{}" }\n`;
    expect(read(text)).toMatchObject({ configMaps: [{ name: 'o', data: { 'custom_bootstrap.json': '{}' } }], others: ['ConfigMap'] });
  });

  it('is inspected with what differs from the defaults, and who says so', () => {
    const env = ['{ name: PROXY_CONFIG, value: \'{"concurrency":2,"proxyMetadata":{"A":"1"}}\' }'];
    const annotations = '{ proxy.istio.io/config: "discoveryAddress: other:15012\\nproxyMetadata: { B: x }\\n" }';
    const { proxyConfig, metadata } = inspectWorkload(only({ env, annotations }));
    expect(proxyConfig.map(({ name, value, source, at }) => [name, value, source, at?.line])).toEqual([
      ['discoveryAddress', 'other:15012', 'annotation', 9],
      ['concurrency', 2, 'PROXY_CONFIG', 29],
      ['proxyMetadata.A', '1', 'PROXY_CONFIG', 29],
      ['proxyMetadata.B', 'x', 'annotation', 9],
    ]);
    expect(metadata).toEqual({ CLUSTER_ID: 'east', WORKLOAD_NAME: 'payments' });
  });
});

describe('the workload that was asked for', () => {
  const text = ['a', 'b'].map((name) => manifestText({ name })).join('---\n');

  it.each(['b', 'Deployment/b', 'shop/b', 'deployment/b'])('goes by %s', (wanted) => {
    expect(pickWorkload(read(text), wanted).name).toBe('b');
  });

  it('is one of several, which are listed', () => {
    expect(pickWorkloads(read(text))).toHaveLength(2);
    expect(() => pickWorkload(read(text))).toThrow(
      'has 2 workloads with a proxy: Deployment shop/a, Deployment shop/b. Pick one with --workload',
    );
  });

  it('may be misspelt', () => {
    expect(() => pickWorkload(read(manifestText()), 'paymets')).toThrow('m.yaml: has no workload "paymets". Did you mean "payments"?');
  });
});
