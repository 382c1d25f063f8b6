import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FakeIstiodError } from '../../src/errors.ts';
import { gradeLab } from '../../src/lab/grade-lab.ts';
import { lessonOf, lessonPod } from '../../src/lab/lab-inputs.ts';
import { withTypo } from '../../src/lab/typo.ts';
import { labFiles } from '../../src/sidecar/lab-lines.ts';
import { readManifest } from '../../src/sidecar/read-manifest.ts';
import { readMeshConfig } from '../../src/sidecar/read-mesh-config.ts';
import { rightFiles, studentFolderWith } from './student.ts';

const cases = join(import.meta.dirname, '../../../shared/cases');
const example = join(import.meta.dirname, '../../examples/lab/mesh-config.yaml');
const here = (name: string): string => join(cases, name);

/** Each manifest with a proxy, and the mesh config that it was injected with. */
const pairs: readonly (readonly [name: string, manifest: string, mesh: string])[] = existsSync(cases)
  ? [
      ...readdirSync(here('injected_pairs')).map((name) => [
        name,
        `injected_pairs/${name}/injected.yaml`,
        `injected_pairs/${name}/meshconfig.yaml`,
      ]),
      ...readdirSync(here('injected'))
        .filter((name) => name.endsWith('.yaml'))
        .map((name) => [name, `injected/${name}`, '']),
    ].flatMap(([name = '', manifest = '', mesh = '']) =>
      existsSync(here(manifest)) ? [[name, here(manifest), mesh === '' ? example : here(mesh)] as const] : [],
    )
  : [];

if (pairs.length === 0) console.warn(`skipped: real files are expected in ${cases}`);

describe.skipIf(pairs.length === 0)('the lab of real manifests (../shared/cases)', () => {
  it.each(pairs)('%s: what is made of it passes the check', (_, manifestFile, meshFile) => {
    const [manifest, mesh] = [readManifest(manifestFile), readMeshConfig(meshFile)];
    expect(manifest.workloads.length + manifest.uninjected.length).toBeGreaterThan(0);
    for (const workload of manifest.workloads) {
      let bootstrap;
      try {
        ({ bootstrap } = lessonOf({ manifest, workload, mesh }, lessonPod(workload)));
      } catch (error) {
        // pilot-agent would exit over such a pod; there is no bootstrap then.
        expect(FakeIstiodError.from(error).code).toBe('bootstrap.invalid');
        continue;
      }
      const address = mesh.discoveryAddress.value;
      const folder = studentFolderWith({
        ...Object.fromEntries(labFiles(workload, mesh)),
        'inject.yaml': readFileSync(manifestFile),
        'mesh-config.yaml': readFileSync(meshFile),
        'bootstrap.yaml': JSON.stringify(bootstrap),
        'boot-typo.yaml': JSON.stringify(withTypo(bootstrap)),
        '06-node.json': JSON.stringify(bootstrap['node']),
        '08-report.md': rightFiles['08-report.md'].replace(/^xds_address=.*$/m, `xds_address=${address}`),
      });
      const { files } = gradeLab(folder, { maxInputBytes: 1_000_000, workload: `${workload.kind}/${workload.name}` });
      const faults = files.filter(({ status }) => status !== 'right');
      expect(faults).toEqual([]);
    }
  });
});
