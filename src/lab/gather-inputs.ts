import { readFileSync } from 'node:fs';
import { FakeIstiodError } from '../errors.ts';
import { readText } from '../protobuf/document-text.ts';
import { pickWorkload, workloadText } from '../sidecar/pick-workload.ts';
import { readManifest } from '../sidecar/read-manifest.ts';
import { readMeshConfig } from '../sidecar/read-mesh-config.ts';
import { meshConfigIn } from './find-mesh-config.ts';
import { exampleBytes, exampleFile } from './lab-example.ts';
import type { LabDesk } from './lab-desk.ts';
import type { LabFolder } from './lab-folder.ts';
import type { LabInputs } from './lab-inputs.ts';

export interface GivenInputs {
  readonly manifest?: string;
  readonly meshConfig?: string;
  readonly workload?: string;
  readonly maxInputBytes: number;
  readonly force: boolean;
}

/** Inputs that were read, not yet in the folder. */
export interface GatheredInputs extends LabInputs {
  /** Puts both into the folder. */
  put(desk: LabDesk): void;
}

interface Input {
  /** Where it is read from. */
  readonly path: string;
  /** What it is called in the folder. */
  readonly name: string;
  readonly isExample: boolean;
}

/**
 * The manifest and the mesh config: what was given, else what the folder has, else the example. Nothing is written before both are read.
 *
 * @throws FakeIstiodError of the readers; `usage.invalid` where a mesh config is lacking, or the folder has other inputs.
 */
export function gatherInputs(folder: LabFolder, given: GivenInputs): GatheredInputs {
  const { maxInputBytes } = given;
  const manifestInput = manifestOf(folder, given);
  const meshInput = meshOf(folder, given, manifestInput);
  const mesh = readMeshConfig(meshInput.path, { maxInputBytes });
  const manifest = readManifest(manifestInput.path, { maxInputBytes });
  const workload = pickWorkload(manifest, given.workload);
  for (const input of [manifestInput, meshInput]) refuseOther(folder, input, given);
  const [manifestBytes, meshBytes] = [readFileSync(manifestInput.path), readFileSync(meshInput.path)];
  return {
    manifest,
    workload,
    mesh,
    put(desk) {
      const whose = (input: Input): string => (input.isExample ? ' (the built-in example)' : '');
      desk.put('inject.yaml', manifestBytes, `the injected manifest: ${workloadText(workload)}${whose(manifestInput)}`);
      desk.put('mesh-config.yaml', meshBytes, `the mesh config${whose(meshInput)}`, meshInput.name);
    },
  };
}

function manifestOf(folder: LabFolder, { manifest, force }: GivenInputs): Input {
  if (manifest !== undefined) return { path: manifest, name: 'inject.yaml', isExample: false };
  const isTheirs = folder.has('inject.yaml') && !force && !folder.holds('inject.yaml', exampleBytes('inject.yaml'));
  return { path: isTheirs ? folder.path('inject.yaml') : exampleFile('inject.yaml'), name: 'inject.yaml', isExample: !isTheirs };
}

function meshOf(folder: LabFolder, { meshConfig, maxInputBytes, force }: GivenInputs, manifest: Input): Input {
  if (meshConfig !== undefined) return { path: meshConfig, name: 'mesh-config.yaml', isExample: false };
  const found = force && manifest.isExample ? undefined : meshConfigIn(folder, maxInputBytes);
  if (found !== undefined && !folder.holds(found, exampleBytes('mesh-config.yaml'))) {
    return { path: folder.path(found), name: found, isExample: false };
  }
  if (manifest.isExample) return { path: exampleFile('mesh-config.yaml'), name: 'mesh-config.yaml', isExample: true };
  throw new FakeIstiodError(
    'usage.invalid',
    `${manifest.path} needs its mesh config beside it: 03-mesh.txt and the bootstrap are made of both`,
    {
      remedy: 'Give it with --mesh-config; `kubectl get configmap istio -n istio-system -o yaml` prints it',
    },
  );
}

/** All other files would be about something else. */
function refuseOther(folder: LabFolder, { path, name }: Input, { force, maxInputBytes }: GivenInputs): void {
  if (force || !folder.has(name) || folder.holds(name, readText(path, maxInputBytes).text)) return;
  throw new FakeIstiodError('usage.invalid', `${folder.path(name)} is there already, and is something else than ${path}`, {
    remedy: 'Name another folder, or overwrite what is there with --force',
  });
}
