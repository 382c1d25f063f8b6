import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeIstiodError, problemText } from '../../src/errors.ts';
import { packageRoot } from '../../src/protobuf/package-root.ts';
import { inspectWorkload } from '../../src/sidecar/inspection.ts';
import { formText } from '../../src/sidecar/manifest-form.ts';
import { workloadProxyConfig } from '../../src/sidecar/proxy-config-layers.ts';
import { envValue } from '../../src/sidecar/read-env.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import { readMeshConfig } from '../../src/sidecar/read-mesh-config.ts';
import type { InjectedWorkload } from '../../src/sidecar/workload.ts';

// Real manifests and mesh configs, which lie beside the checkout and are not part of it.
const cases = join(packageRoot(), '..', 'shared', 'cases');
const here = existsSync(cases);
if (!here) console.warn(`skipped: real files are expected in ${cases}`);

const namesIn = (folder: string): readonly string[] =>
  here ? readdirSync(join(cases, folder)).filter((name) => /\.(ya?ml|txt)$/.test(name)) : [];
const pairs = here ? readdirSync(join(cases, 'injected_pairs')) : [];

/** What a file holds, by the start of its name: one line for each workload, or why there is none. */
const expected: Readonly<Record<string, readonly string[]>> = {
  i01: ['Deployment hello: sidecar, Istio 1.5'],
  i02: ['Deployment hello: sidecar, Istio 1.5'],
  i03: ['Deployment hello: sidecar, Istio 1.4 or before'],
  i04: ['StatefulSet hello: sidecar, Istio 1.6'],
  i08: ['no proxy: hostNetwork: true'],
  i09: ["no proxy: the injector's template custom has been here and brought none, only hello"],
  i11: ['Deployment hello: sidecar, Istio 1.17'],
  i12: ['Pod hello: sidecar, Istio 1.19 or later, native'],
  i14: ["no proxy: the injector's template grpc-simple has made it proxyless: gRPC in container traffic"],
  i15: ['Pod hellopod: sidecar, Istio 1.19 or later'],
  i17: ['Deployment istio-ingressgateway: gateway, Istio 1.19 or later'],
  i19: ['Deployment hello: sidecar, Istio 1.27 or later, native'],
  i20: ['Deployment hello-v1: sidecar, Istio 1.27 or later, native', 'Deployment hello-v2: sidecar, Istio 1.27 or later, native'],
  i22: ['Deployment hello: sidecar, Istio 1.27 or later, native'],
  i23: ['Deployment istio-ingressgateway: sidecar, Istio 1.27 or later, native'],
  i25: ['Deployment namespace: waypoint, Istio 1.19 or later'],
  i26: ['Deployment eastwestgateway: waypoint, Istio 1.19 or later'],
  i27: ['no proxy: it has not been through the injector'],
};

const told = ({ kind, name, flavour, form, proxy }: InjectedWorkload): string =>
  `${kind} ${name}: ${flavour}, ${formText(form)}${proxy.native ? ', native' : ''}`;

interface AgentInput {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

const json = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8')) as unknown;

/** The same variables in the same order, the same values where they are known at injection, the same args but for what the kubelet expands. */
function expectSameInput({ proxy }: InjectedWorkload, oracle: AgentInput): void {
  const names = [...new Set(proxy.env.map(({ name }) => name))];
  expect(Object.keys(oracle.env).filter((name) => name !== 'CLOUD_PLATFORM')).toEqual(names.filter((name) => name in oracle.env));
  expect(names.filter((name) => !(name in oracle.env))).toEqual([]);
  for (const { name } of proxy.env) {
    const value = envValue(proxy.env, name);
    if (value !== undefined && !value.includes('$(')) expect([name, oracle.env[name]]).toEqual([name, value]);
  }
  const expanded = proxy.args.raw.map((arg) => arg.replaceAll(/\$\((\w+)\)/g, (_, name: string) => oracle.env[name] ?? ''));
  expect(expanded).toEqual(oracle.args);
}

/** What the real agent had merged, as it stands in the node's metadata. */
function expectSameProxyConfig(workload: InjectedWorkload, { env }: AgentInput, bootstrapFile: string): void {
  if (!existsSync(bootstrapFile)) return;
  const { node } = json(bootstrapFile) as { node: { metadata: { PROXY_CONFIG: Record<string, unknown> } } };
  const cpuLimit = Number(env['ISTIO_CPU_LIMIT'] ?? 0);
  const { value } = workloadProxyConfig(workload, { oldArguments: false, cpuLimit });
  // Go's JSON leaves out the first name of an enum.
  const named = Object.fromEntries(Object.entries(value).filter(([key, field]) => !(key === 'controlPlaneAuthPolicy' && field === 'NONE')));
  expect(named).toEqual(node.metadata.PROXY_CONFIG);
}

describe.skipIf(!here)('a real injected manifest', () => {
  it.each(namesIn('injected').map((name) => [name]))('%s is read, or has no proxy for a reason', (name) => {
    const { workloads, uninjected, problems } = readManifest(join(cases, 'injected', name));
    expect(problems.map(problemText)).toEqual([]);
    const lines = [...workloads.map(told), ...uninjected.map(({ problem }) => problem.what.replace(/^.*?no istio-proxy: /, 'no proxy: '))];
    const wanted = expected[name.slice(0, 3)] ?? ['(this file is not in the table)'];
    expect(lines.map((line, i) => line.slice(0, wanted[i]?.length))).toEqual(wanted);
    for (const workload of workloads) expect(inspectWorkload(workload).env.length).toBeGreaterThan(0);
  });

  const oracles = here ? readdirSync(join(cases, 'injected', 'oracle')).filter((name) => name.endsWith('.agent-input.json')) : [];
  it.each(oracles.map((name) => [name.slice(0, -'.agent-input.json'.length)]))('%s gives the real agent the same args and env', (id) => {
    const [start = '', second] = id.split('-');
    const file = namesIn('injected').find((name) => name.startsWith(start)) ?? '';
    const workload = readManifest(join(cases, 'injected', file)).workloads[second === undefined ? 0 : Number(second) - 1];
    if (!workload) throw new Error(`${file} has no such workload`);
    const oracle = json(join(cases, 'injected', 'oracle', `${id}.agent-input.json`)) as AgentInput;
    expectSameInput(workload, oracle);
    expectSameProxyConfig(workload, oracle, join(cases, 'injected', 'oracle', `${id}.bootstrap.json`));
  });

  it('is among the many that are there', () => {
    expect(namesIn('injected').length).toBeGreaterThan(15);
    expect(oracles.length).toBeGreaterThan(10);
  });
});

describe.skipIf(!here)('a pair of manifest and mesh config', () => {
  it.each(pairs.map((name) => [name]))('%s', (name) => {
    const folder = join(cases, 'injected_pairs', name);
    const mesh = readMeshConfig(join(folder, 'meshconfig.yaml'));
    const inConfigMap = readMeshConfig(join(folder, 'meshconfig-configmap.yaml'));
    expect(inConfigMap.value).toEqual(mesh.value);
    expect(inConfigMap.form).toBe('config-map');
    if (!existsSync(join(folder, 'injected.yaml'))) {
      const { problems } = readManifest(join(folder, 'input.yaml'));
      expect(problems.map(({ at, what }) => `${at?.line}: ${what}`)).toEqual([
        expect.stringMatching(/^13: not valid YAML: .*must .*end with a \]/),
      ]);
      return;
    }
    const { workloads, problems } = readManifest(join(folder, 'injected.yaml'));
    expect(problems).toEqual([]);
    const [workload] = workloads;
    if (!workload) throw new Error('no workload');
    const oracle = json(join(folder, 'oracle.agent-input.json')) as AgentInput;
    expectSameInput(workload, oracle);
    expectSameProxyConfig(workload, oracle, join(folder, 'oracle.bootstrap.json'));
    expect(inspectWorkload(workload, mesh).mesh?.caAddrSame).toBe(oracle.env['CA_ADDR'] === mesh.discoveryAddress.value);
  });
});

describe.skipIf(!here)('a real mesh config', () => {
  const wanted: Readonly<Record<string, string>> = {
    m01: 'mesh-config istio-pilot:15007 istio-system',
    m02: 'mesh-config istio-pilot:15007 istio-system',
    m04: 'mesh-config istiod-rev-1.istio-system.svc:15012 istio-system',
    m05: 'mesh-config istiod-rev-1.istio-system.svc:15012 istio-system',
    m06: 'the file is empty (0 bytes)',
    m07: 'mesh-config istiod.istio-system.svc:15012 istio-system',
    m10: 'config-map istiod.istio-system.svc:15012 istio-control',
    m11: 'config-map istiod.istio-system.svc:15012 istio-system',
    m14: 'config-map my-discovery:123 istio-control',
    m15: 'proxy-config-text istio-pilot:15010 istio-system',
    m16: 'mesh-config istiod.istio-system.svc:15012 istio-system',
  };

  it.each(namesIn('meshconfig').map((name) => [name]))('%s is read, or refused for a reason', (name) => {
    const read = (): string => {
      try {
        const { form, discoveryAddress, rootNamespace } = readMeshConfig(join(cases, 'meshconfig', name));
        return `${form} ${discoveryAddress.value} ${rootNamespace.value}`;
      } catch (error) {
        if (!(error instanceof FakeIstiodError)) throw error;
        return error.problems[0]?.what ?? error.message;
      }
    };
    expect(read()).toBe(wanted[name.slice(0, 3)]);
  });
});
