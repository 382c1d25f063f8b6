import { describe, expect, it } from 'vitest';
import { problemText } from '../../src/errors.ts';
import { pickWorkload } from '../../src/sidecar/pick-workload.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import type { InjectedWorkload, Manifest } from '../../src/sidecar/workload.ts';
import { manifestText, type ManifestParts } from './manifest-text.ts';

const read = (text: string): Manifest => readManifest({ name: 'm.yaml', bytes: Buffer.from(text) });
const only = (parts: ManifestParts = {}): InjectedWorkload => pickWorkload(read(manifestText(parts)));
const problems = (text: string): readonly string[] => read(text).problems.map(problemText);
const reason = (text: string): string =>
  read(text)
    .uninjected.map(({ problem }) => problemText(problem))
    .join('\n');

/** A pod with these containers, in flow YAML. */
const pod = (containers: string, more = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: p${more} }\nspec: { containers: ${containers} }\n`;
const agent = '{ name: istio-proxy, args: [proxy, sidecar] }';

describe('a workload without a proxy', () => {
  it.each([
    ['was not injected', pod('[{ name: app }]'), 'no istio-proxy: it has not been through the injector'],
    [
      'opted out',
      pod('[{ name: app }]', ', labels: { sidecar.istio.io/inject: "false" }'),
      'm.yaml:3:57: metadata.labels["sidecar.istio.io/inject"]: Pod p: no istio-proxy: the label',
    ],
    [
      'is of the host network',
      `apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { hostNetwork: true, containers: [{ name: app }] }`,
      'no istio-proxy: hostNetwork: true',
    ],
    [
      'waits for the injector',
      pod('[{ name: istio-proxy, image: auto }]'),
      'no istio-proxy: the container istio-proxy is there for the injector to fill in (image: auto, no args)',
    ],
    [
      'speaks xDS itself',
      pod('[{ name: app, env: [{ name: GRPC_XDS_BOOTSTRAP, value: x }] }]', ', annotations: { sidecar.istio.io/status: "{}" }'),
      'made it proxyless: gRPC in container app',
    ],
    ['has another proxy', pod('[{ name: agentgateway }]'), 'no istio-proxy: its proxy is agentgateway'],
    [
      'is of a namespace that is left alone',
      pod('[{ name: app }]', ', namespace: kube-system'),
      'the injector never touches the namespace kube-system',
    ],
  ])('%s', (_, text, words) => {
    expect(reason(text)).toContain(words);
    expect(() => pickWorkload(read(text))).toThrow(words);
  });
});

describe('a manifest with something wrong in it', () => {
  it.each([
    [
      'two proxies',
      pod(`[${agent}, ${agent}]`),
      'm.yaml:4:77: spec.containers[1].name: Pod p: two containers are named istio-proxy, the other one at line 4. Kubernetes takes a name once in a pod; remove one of the two',
    ],
    [
      'an unknown reference',
      manifestText({ env: ['{ name: X, valueFrom: { fieldReff: { fieldPath: a } } }'] }),
      'X: unknown reference "fieldReff" in valueFrom. Did you mean "fieldRef"?',
    ],
    [
      'an unknown field of the pod',
      manifestText({ env: ['{ name: X, valueFrom: { fieldRef: { fieldPath: status.podIp } } }'] }),
      'X: a pod has no field "status.podIp" for an environment variable. Did you mean "status.podIP"?',
    ],
    [
      'an unknown resource',
      manifestText({ env: ['{ name: X, valueFrom: { resourceFieldRef: { resource: cpu } } }'] }),
      '"cpu" is no resource',
    ],
    [
      'a value and a reference',
      manifestText({ env: ['{ name: X, value: a, valueFrom: { fieldRef: { fieldPath: metadata.name } } }'] }),
      'X: has a value and a reference, Kubernetes takes one',
    ],
    [
      'broken quotes inside an annotation',
      manifestText({ annotations: "{ proxy.istio.io/config: 'discoveryAddress: \"x:1' }" }),
      'm.yaml:9:68: spec.template.metadata.annotations["proxy.istio.io/config"]: not valid YAML: Missing closing "quote',
    ],
    [
      'quotes too many around PROXY_CONFIG',
      manifestText({ env: ['{ name: PROXY_CONFIG, value: "\'{}\'" }'] }),
      'expected a mapping (istio.mesh.v1alpha1.ProxyConfig), found "{}"',
    ],
    [
      'a wrong type inside PROXY_CONFIG',
      manifestText({ env: ['{ name: PROXY_CONFIG, value: \'{"statusPort": true}\' }'] }),
      'm.yaml:29:56: spec.template.spec.containers[1].env[8].value > statusPort: expected a whole number',
    ],
    [
      'a workload that is cut off',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: d }\nspec: {}\n',
      'm.yaml:4:7: spec: Deployment d: no containers where a Deployment has them',
    ],
    [
      'a document that is no object',
      `${pod(`[${agent}]`)}---\na: 1\n`,
      'm.yaml:6:1: is no Kubernetes object: it has no apiVersion and kind',
    ],
    ['a document that is no YAML', `${pod(`[${agent}]`)}---\na: [1\n---\n${pod(`[${agent}]`)}`, 'm.yaml:7:1: not valid YAML'],
    [
      'a merge conflict',
      `<<<<<<< HEAD\na: 1\n=======\n${pod(`[${agent}]`)}---\n${pod(`[${agent}]`)}`,
      'a merge conflict is left in the file',
    ],
  ])('says what and where: %s', (_, text, words) => {
    expect(problems(text)).toEqual([expect.stringContaining(words)]);
  });

  it('still gives what else is in the file', () => {
    const text = `a: [1\n---\n${manifestText()}---\n${pod(`[${agent}, ${agent}]`)}---\n${pod('[{ name: app }]')}`;
    expect(read(text)).toMatchObject({ workloads: [{ name: 'payments' }], uninjected: [{ name: 'p' }] });
    expect(read(text).problems).toHaveLength(2);
  });

  it.each([
    ['text', 'only words', 'm.yaml:1: is text, not a Kubernetes object'],
    ['some other YAML', 'a: 1\nb: 2\n', 'm.yaml:1: is no Kubernetes manifest: nothing in it has apiVersion and kind'],
    ['nothing', '', 'm.yaml: the file is empty (0 bytes)'],
    ['a template', 'a: {{ .Values.x }}\n', 'looks like a template'],
  ])('is refused as a whole if it is %s', (_, text, words) => {
    expect(() => read(text)).toThrow(words);
  });

  it('is refused over the size that was set', () => {
    expect(() => readManifest({ name: 'm.yaml', bytes: Buffer.from(manifestText()) }, { maxInputBytes: 100 })).toThrow(
      'more than the limit of 100',
    );
  });

  it.each([
    [
      'args name a variable that is not there',
      { args: '[proxy, sidecar, --domain, $(NS).svc, $$(NOT), $(POD_NAME)]' },
      '$(NS) stays as it is: the container has no variable NS',
    ],
    ['a variable stands twice', { env: ['{ name: CA_ADDR, value: x }'] }, 'CA_ADDR is set twice; the later one counts'],
    [
      'the token is for others',
      { audience: 'vault' },
      'the token of volume istio-token is for "vault"; istiod believes tokens for istio-ca',
    ],
    ['names of the cluster are asked of the node', { spec: 'hostNetwork: true' }, 'hostNetwork: true with dnsPolicy ClusterFirst'],
    ['it does not run pilot-agent', { args: '[-c, my.yaml]' }, 'istio-proxy runs "-c my.yaml", not `pilot-agent proxy …`'],
    [
      'a template was rendered without values',
      { args: '[proxy, sidecar, --domain, "svc.<no value>"]' },
      '1 args and variables read "<no value>"',
    ],
  ] satisfies readonly (readonly [string, ManifestParts, string])[])('warns that %s', (_, parts, words) => {
    expect(only(parts).warnings.map(problemText)).toEqual([expect.stringContaining(words)]);
  });

  it('warns of an identity that cannot be proven', () => {
    const text = pod('[{ name: istio-proxy, args: [proxy, sidecar], env: [{ name: CA_ADDR, value: x }] }]');
    expect(pickWorkload(read(text)).warnings.map(problemText)).toEqual([
      expect.stringContaining('no volume projects a service account token'),
    ]);
    const unmounted = manifestText().replace('- { name: istio-token, mountPath: /var/run/secrets/tokens }', '');
    expect(pickWorkload(read(unmounted)).warnings.map(problemText)).toEqual([
      expect.stringContaining('volume istio-token is there, and istio-proxy does not mount it'),
    ]);
  });
});
