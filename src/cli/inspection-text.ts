import type { SourcePosition } from '../errors.ts';
import type { ClusterComparison } from '../sidecar/cluster-comparison.ts';
import type { InspectedMesh, Inspection } from '../sidecar/inspection.ts';
import type { MeshConfig, Sourced } from '../sidecar/mesh-config.ts';
import { textTable } from './text-table.ts';

type Row = readonly [name: string, ...rest: string[]];

/** An inspection as people read it: a section each, indented under the workload. */
export function inspectionText(inspection: Inspection): string {
  const { kind, namespace, name, at } = inspection;
  const sections: readonly (readonly [string, readonly Row[]])[] = [
    ['what it is', whatItIs(inspection)],
    [`args (${inspection.role})`, argRows(inspection)],
    ['env', inspection.env.map((entry) => [entry.name, oneLine(entry.value)])],
    ['node metadata (ISTIO_META_…)', Object.entries(inspection.metadata).map(([key, value]) => [key, oneLine(value)])],
    ['identity', identityRows(inspection)],
    ['probes', inspection.probes.map(({ type, text }) => [type, text])],
    ['annotations that change the bootstrap', inspection.annotations.map((one) => [one.name, oneLine(one.value), one.does])],
    ['ProxyConfig that differs from the default', proxyConfigRows(inspection)],
    ['mesh config', inspection.mesh ? workloadMeshRows(inspection.mesh) : []],
    ['odd', inspection.warnings.map((warning) => [warning])],
  ];
  const text = sections.flatMap(([title, rows]) => (rows.length > 0 ? [`  ${title}\n${textTable(rows, '    ')}`] : []));
  const head = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}  (${placeText(at)})`;
  return [head, ...text].join('\n');
}

/** What a mesh config says, without a workload. */
export function meshConfigText(mesh: MeshConfig): string {
  const fields = Object.entries(mesh.defaultConfig).map(([key, value]): Row => [key, oneLine(JSON.stringify(value))]);
  const networks = Object.keys((mesh.networks?.['networks'] as object | undefined) ?? {});
  return [
    `mesh config ${mesh.file}  (${mesh.form})`,
    textTable(meshRows(mesh), '  '),
    ...(networks.length > 0 ? [textTable([['networks', networks.join(', ')]], '  ')] : []),
    ...(fields.length > 0 ? ['  defaultConfig', textTable(fields, '    ')] : []),
  ].join('\n');
}

/** Two proxies, side by side, and what istiod makes of them. */
export function comparisonText({ a, b, findings }: ClusterComparison): string {
  const rows: readonly Row[] = [
    ['', a.subject, b.subject],
    ['CLUSTER_ID', a.clusterId ?? '-', b.clusterId ?? '-'],
    ['NETWORK', a.network ?? '-', b.network ?? '-'],
    ['MESH_ID', a.meshId ?? '-', b.meshId ?? '-'],
    ['TRUST_DOMAIN', a.trustDomain ?? '-', b.trustDomain ?? '-'],
    ['at', placeText(a.at), placeText(b.at)],
  ];
  return [textTable(rows), ...findings.map((finding) => `- ${finding}`)].join('\n');
}

function whatItIs({ flavour, release, container }: Inspection): readonly Row[] {
  const signs = release.signs.length > 0 ? ` (${release.signs.join('; ')})` : '';
  const place = container.native ? 'init container, a native sidecar' : 'container';
  return [
    ['flavour', flavour],
    ['written by', `${release.text}${signs}`],
    [place, `${container.name} (${placeText(container.at)})`],
    ...(container.image === undefined ? [] : [['image', container.image] as const]),
  ];
}

function argRows({ command, args }: Inspection): readonly Row[] {
  const lines: string[] = [];
  for (const word of [...command, ...args]) {
    const last = lines.at(-1);
    const belongs = last !== undefined && (/^--?[^=]+$/.test(last) ? !word.startsWith('-') : lines.length === 1 && !word.startsWith('-'));
    if (belongs) lines[lines.length - 1] = `${last} ${word === '' ? '""' : word}`;
    else lines.push(word);
  }
  return lines.map((line) => [line]);
}

function identityRows({ serviceAccount, trustDomain, identity }: Inspection): readonly Row[] {
  const { token, ca, certSecret, workloadSocket } = identity;
  return [
    ['service account', serviceAccount],
    ...(trustDomain === undefined ? [] : [['trust domain', trustDomain] as const]),
    token
      ? [
          'token',
          `volume ${token.volume}, audience ${token.audience ?? "(the API server's)"}, ${token.expirationSeconds} s, ${mounted(token.mountPath, token.file)}`,
        ]
      : ['token', 'none'],
    ca
      ? ['root certificate', `${sourceText(ca.source)} ${ca.object}, volume ${ca.volume}, ${mounted(ca.mountPath)}`]
      : ['root certificate', 'none'],
    ...(certSecret
      ? [['certificates', `${certSecret.secret}, volume ${certSecret.volume}, ${mounted(certSecret.mountPath)}`] as const]
      : []),
    ...(workloadSocket ? [['SDS socket', `${workloadSocket.source}, ${mounted(workloadSocket.mountPath)}`] as const] : []),
  ];
}

function sourceText(source: 'configMap' | 'secret' | 'clusterTrustBundle'): string {
  return { configMap: 'ConfigMap', secret: 'Secret', clusterTrustBundle: 'ClusterTrustBundle' }[source];
}

function mounted(path: string | undefined, file?: string): string {
  if (path === undefined) return 'not mounted';
  return `at ${path}${file === undefined || file === '' ? '' : `/${file}`}`;
}

function proxyConfigRows({ proxyConfig }: Inspection): readonly Row[] {
  return proxyConfig.map(({ name, value, source, at }) => [
    name,
    oneLine(typeof value === 'string' ? value : JSON.stringify(value)),
    at ? `${source} (${placeText(at)})` : source,
  ]);
}

function meshRows(mesh: Pick<MeshConfig, 'discoveryAddress' | 'rootNamespace' | 'trustDomain'>): readonly Row[] {
  const row = (name: string, { value, source, at }: Sourced<string>): Row => [name, value, at ? placeText(at) : `${source}`];
  return [
    row('discovery address', mesh.discoveryAddress),
    row('root namespace', mesh.rootNamespace),
    row('trust domain', mesh.trustDomain),
  ];
}

function workloadMeshRows(mesh: InspectedMesh): readonly Row[] {
  const { caAddr, caAddrSame, discoveryAddress } = mesh;
  const same =
    caAddr === undefined ? 'not set: pilot-agent takes the discovery address' : caAddrSame ? 'the same' : `not ${discoveryAddress.value}`;
  return [...meshRows(mesh), ['CA_ADDR', caAddr ?? '-', same]];
}

function placeText({ file, line }: SourcePosition): string {
  return line === undefined ? file : `${file}:${line}`;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
