import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/envoy/json.ts';
import { makeBootstrap, type MadeBootstrap } from '../../src/sidecar/make-bootstrap.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import { readMeshConfig } from '../../src/sidecar/read-mesh-config.ts';

const cases = join(import.meta.dirname, '../../../shared/cases');
if (!existsSync(cases)) console.log('the bootstraps of real pilot-agents are not compared: there is no ../shared/cases');

/** What the recorder of the oracle ran pilot-agent with, besides the manifest. */
const pod = { podIps: ['10.10.1.7'], hostIps: ['10.10.0.2'], nodeName: 'node-1', nodeCpu: '2', nodeMemory: '1Gi' };

interface Case {
  readonly name: string;
  readonly manifest: string;
  readonly mesh: string | undefined;
  readonly oracle: string;
}

function* allCases(): Generator<Case> {
  const injected = join(cases, 'injected');
  for (const file of readdirSync(join(injected, 'oracle')).filter((name) => name.endsWith('.bootstrap.json'))) {
    const name = file.replace('.bootstrap.json', '');
    const manifest = readdirSync(injected).find((each) => each.startsWith(`${name.replace(/-\d+$/, '')}-`)) ?? '';
    yield { name, manifest: join(injected, manifest), mesh: undefined, oracle: join(injected, 'oracle', name) };
  }
  for (const folder of readdirSync(join(cases, 'injected_pairs'))) {
    const inside = (file: string): string => join(cases, 'injected_pairs', folder, file);
    if (!existsSync(inside('oracle.bootstrap.json'))) continue;
    yield { name: folder, manifest: inside('injected.yaml'), mesh: inside('meshconfig.yaml'), oracle: inside('oracle') };
  }
}

function json(file: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isJsonObject(value)) throw new TypeError(`${file} is no object`);
  return value;
}

/** Makes what the oracle has: the pod's name and namespace are what the recorder chose. */
function make({ manifest: file, mesh, oracle }: Case): MadeBootstrap {
  const { env } = json(`${oracle}.agent-input.json`) as { readonly env: Readonly<Record<string, string>> };
  const manifest = readManifest(file);
  const podName = env['POD_NAME'] ?? '';
  const workload = manifest.workloads
    .filter(({ name }) => podName.startsWith(name.replace(/\*$/, '')))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
  if (!workload) throw new Error(`${file} has no workload for ${podName}`);
  return makeBootstrap(manifest, workload, {
    ...pod,
    shape: 'pilot-agent',
    podName,
    podNamespace: env['POD_NAMESPACE'] ?? '',
    istioVersion: '1.26.0',
    ...(mesh === undefined ? {} : { mesh: readMeshConfig(mesh) }),
  });
}

describe.skipIf(!existsSync(cases))('the bootstrap of pilot-agent 1.26.0', () => {
  const all = existsSync(cases) ? [...allCases()] : [];

  it('is compared for every case', () => expect(all.length).toBeGreaterThan(20));

  it.each(all)('is the one that the real one wrote: $name', (one) => {
    expect(make(one).bootstrap).toEqual(json(`${one.oracle}.bootstrap.json`));
  });

  it.each(all)('comes with the arguments that the real one started Envoy with: $name', (one) => {
    const said = readFileSync(`${one.oracle}.envoy-args.txt`, 'utf8').trim().split('\n');
    expect(make(one).envoyArgs).toEqual(said);
  });

  it.each(all)('is made in an environment that is the one of the recorder: $name', (one) => {
    const { env } = json(`${one.oracle}.agent-input.json`) as { readonly env: JsonObject };
    const recorded = Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'CLOUD_PLATFORM'));
    const ours = Object.fromEntries([...make(one).start.env].map(([name, { value }]) => [name, value]));
    expect(ours).toEqual(recorded);
  });
});
