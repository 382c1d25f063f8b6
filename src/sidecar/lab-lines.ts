import type { MeshConfig } from './mesh-config.ts';
import { envText, envValue } from './read-env.ts';
import type { InjectedWorkload } from './workload.ts';

/** The seed lab's files that are read out of a manifest and a mesh config: `name=value` lines, no spaces, no quotes. */
export type LabFileName = '01-args.txt' | '02-env.txt' | '03-mesh.txt' | '07-identity.txt';

/** `name=value`; what is not there is an empty value. */
export interface LabLine {
  readonly name: string;
  readonly value: string;
}

/** 01: role, domain (as written, unexpanded) and log levels out of the proxy's args. */
export function labArgs({ proxy }: InjectedWorkload): readonly LabLine[] {
  const { flags, raw } = proxy.args;
  return [
    { name: 'role', value: raw[1] ?? '' },
    { name: 'domain', value: flags['domain'] ?? '' },
    { name: 'proxy_log_level', value: flags['proxyLogLevel'] ?? '' },
    { name: 'component_log_level', value: flags['proxyComponentLogLevel'] ?? '' },
  ];
}

const labVariables = [
  'CA_ADDR',
  'PILOT_CERT_PROVIDER',
  'ISTIO_META_CLUSTER_ID',
  'TRUST_DOMAIN',
  'ISTIO_META_WORKLOAD_NAME',
  'POD_NAMESPACE',
  'SERVICE_ACCOUNT',
] as const;

/** 02: variables by value where the injector knew it, else where the pod gets it from. */
export function labEnv({ proxy }: InjectedWorkload): readonly LabLine[] {
  return labVariables.map((name) => {
    const entry = proxy.env.findLast((candidate) => candidate.name === name);
    return { name, value: entry ? envText(entry) : '' };
  });
}

/** 03: what the mesh config says, and whether the CA is where the configuration comes from. */
export function labMesh(workload: InjectedWorkload, mesh: MeshConfig): readonly LabLine[] {
  return [
    { name: 'discovery_address', value: mesh.discoveryAddress.value },
    { name: 'root_namespace', value: mesh.rootNamespace.value },
    { name: 'trust_domain', value: mesh.trustDomain.value },
    { name: 'ca_addr_same', value: isCaAddrSame(workload, mesh) ? 'yes' : 'no' },
  ];
}

/** Whether CA_ADDR is the mesh config's discovery address, character for character. */
export function isCaAddrSame({ proxy }: InjectedWorkload, { discoveryAddress }: MeshConfig): boolean {
  return envValue(proxy.env, 'CA_ADDR') === discoveryAddress.value;
}

/** 07: the two volumes that identity starts from. */
export function labIdentity({ identity: { token, ca } }: InjectedWorkload): readonly LabLine[] {
  return [
    { name: 'token_volume', value: token?.volume ?? '' },
    { name: 'token_audience', value: token?.audience ?? '' },
    { name: 'token_mount', value: token?.mountPath ?? '' },
    { name: 'ca_configmap', value: ca?.source === 'configMap' ? ca.object : '' },
    { name: 'ca_mount', value: ca?.mountPath ?? '' },
  ];
}

/** The lab's files of a workload; 03 only with a mesh config. */
export function labFiles(workload: InjectedWorkload, mesh?: MeshConfig): ReadonlyMap<LabFileName, string> {
  return new Map<LabFileName, string>([
    ['01-args.txt', labText(labArgs(workload))],
    ['02-env.txt', labText(labEnv(workload))],
    ...(mesh ? [['03-mesh.txt', labText(labMesh(workload, mesh))] as const] : []),
    ['07-identity.txt', labText(labIdentity(workload))],
  ]);
}

/** Lines as the lab's files have them. */
export function labText(lines: readonly LabLine[]): string {
  return lines.map(({ name, value }) => `${name}=${value}\n`).join('');
}
