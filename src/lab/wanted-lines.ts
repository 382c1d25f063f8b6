import type { SourcePosition } from '../errors.ts';
import type { DocumentPath } from '../protobuf/document.ts';
import { labArgs, labEnv, labIdentity, labMesh, type LabLine } from '../sidecar/lab-lines.ts';
import type { MeshConfig } from '../sidecar/mesh-config.ts';
import type { InjectedWorkload } from '../sidecar/workload.ts';
import type { WantedLine } from './grade-values.ts';

/** What the files 01, 02, 03 and 07 should say, by the student's own manifest and mesh config. */

type HintOf = (name: string) => WantedLine['hint'];

function wantedOf(lines: readonly LabLine[], hintOf: HintOf): readonly WantedLine[] {
  return lines.map(({ name, value }) => ({ name, values: [value], hint: hintOf(name) }));
}

/** `inject.yaml:57`, of the file's own name. */
function placeText({ file, line }: SourcePosition): string {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return line === undefined ? name : `${name}:${line}`;
}

function place(workload: InjectedWorkload, path: DocumentPath): string {
  return placeText(workload.positionOf(path, 'key'));
}

export function wantedArgs(workload: InjectedWorkload): readonly WantedLine[] {
  const { proxy } = workload;
  const args = `the args of container ${proxy.name} (${place(workload, [...proxy.path, 'args'])})`;
  const flag =
    (name: string): WantedLine['hint'] =>
    () =>
      proxy.args.flags[name] === undefined
        ? `There is no --${name} in ${args}: then nothing stands after the "=".`
        : `Look at ${args}: what stands after --${name}?`;
  const hints: Readonly<Record<string, WantedLine['hint']>> = {
    role: () => `Look at ${args}: the first word says what to start, the second as what.`,
    domain: (found) =>
      proxy.args.flags['domain']?.includes('$(') && found !== undefined && found !== '' && !found.includes('$(')
        ? `$(…) in args is expanded by the kubelet, when the pod starts. Write the argument after --domain as it stands in ${args}.`
        : `Look at ${args}: the argument after --domain, to the letter.`,
    proxy_log_level: flag('proxyLogLevel'),
    component_log_level: flag('proxyComponentLogLevel'),
  };
  return wantedOf(labArgs(workload), (name) => hints[name] ?? (() => `Look at ${args}.`));
}

export function wantedEnv(workload: InjectedWorkload): readonly WantedLine[] {
  const { proxy } = workload;
  const env = `the env of container ${proxy.name} (${place(workload, [...proxy.path, 'env'])})`;
  return wantedOf(labEnv(workload), (name) => (found) => {
    const entry = proxy.env.findLast((one) => one.name === name);
    if (!entry) return `There is no ${name} in ${env}: then nothing stands after the "=".`;
    if (entry.source === 'value') return `${name} was known at injection: look for its value in ${env}.`;
    const looks = `Look for ${name} in ${env}: it has valueFrom instead of a value, so only the pod knows it.`;
    return found?.startsWith(`${entry.source}:`)
      ? `${looks} Which field does it name?`
      : `${looks} Write ${entry.source}: and the field that it names.`;
  });
}

export function wantedIdentity(workload: InjectedWorkload): readonly WantedLine[] {
  const { proxy, pod, identity } = workload;
  const volumes = `the pod's volumes (${place(workload, [...pod.path, 'spec', 'volumes'])})`;
  const mounts = `the volumeMounts of container ${proxy.name} (${place(workload, [...proxy.path, 'volumeMounts'])})`;
  const hints: Readonly<Record<string, string>> = {
    token_volume: identity.token
      ? `Look at ${volumes}: which one projects a serviceAccountToken?`
      : `None of ${volumes} projects a serviceAccountToken: then nothing stands after the "=".`,
    token_audience: 'Whom is the token for? It stands beside the serviceAccountToken of that volume.',
    token_mount: `Look at ${mounts}: where is that volume mounted? The folder, not the file in it.`,
    ca_configmap: `Look at ${volumes}: which ConfigMap is behind istiod-ca-cert? Its name, not the volume's.`,
    ca_mount: `Look at ${mounts}: where is istiod-ca-cert mounted?`,
  };
  return wantedOf(labIdentity(workload), (name) => () => hints[name] ?? `Look at ${volumes}.`);
}

/** Without a manifest nobody knows CA_ADDR. `isGiven`: the mesh config is a file, not Istio's defaults. */
export function wantedMesh(workload: InjectedWorkload | undefined, mesh: MeshConfig, isGiven: boolean): readonly WantedLine[] {
  const fields = {
    discovery_address: { told: mesh.discoveryAddress, name: 'defaultConfig.discoveryAddress' },
    root_namespace: { told: mesh.rootNamespace, name: 'rootNamespace' },
    trust_domain: { told: mesh.trustDomain, name: 'trustDomain' },
  } as const;
  const file = mesh.file.slice(mesh.file.lastIndexOf('/') + 1);
  const wanted = Object.entries(fields).map(([name, { told, name: field }]): WantedLine => {
    const hint = !isGiven
      ? `There is no mesh config in the folder: this was held against what inject.yaml says and Istio's defaults. Give yours with --mesh-config.`
      : told.source === 'default'
        ? `${field} does not stand in ${file}: then Istio's default counts.`
        : `Look at ${field} in ${file}, to the letter.`;
    return { name, values: told.source === 'default' ? [told.value, ''] : [told.value], hint: () => hint };
  });
  const unknown = 'inject.yaml has to be there and right first: CA_ADDR stands in it.';
  const same = workload && labMesh(workload, mesh).find(({ name }) => name === 'ca_addr_same');
  return [...wanted, { name: 'ca_addr_same', values: same ? [same.value] : { unknown }, hint: caHint }];
}

const caHint: WantedLine['hint'] = (found) =>
  found !== undefined && found !== '' && found !== 'yes' && found !== 'no'
    ? 'It is yes or no.'
    : 'Compare CA_ADDR (02-env.txt) and discovery_address character for character: the host with all its dots, the port.';
