import type { BootstrapOptions } from '../../envoy/bootstrap.ts';
import { ExitCode, problemText } from '../../errors.ts';
import { readDocument, type DocumentSource } from '../../protobuf/document.ts';
import { overrideText } from '../../sidecar/bootstrap-override.ts';
import { explainBootstrap, originText } from '../../sidecar/explain-bootstrap.ts';
import { makeBootstrap, type BootstrapShape, type MadeBootstrap, type MakeBootstrapOptions } from '../../sidecar/make-bootstrap.ts';
import { pickWorkload } from '../../sidecar/pick-workload.ts';
import { readManifest } from '../../sidecar/read-manifest.ts';
import { readMeshConfig } from '../../sidecar/read-mesh-config.ts';
import { defaultAdminPort, writeBootstrapFile } from '../bootstrap-file.ts';
import { writeLine, type Terminal } from '../terminal.ts';

/** What the command line says of a workload and its pod. */
export interface ManifestOptions {
  readonly manifest: string;
  readonly workload?: string;
  readonly meshConfig?: string;
  readonly podIp?: readonly string[];
  readonly podName?: string;
  readonly namespace?: string;
  readonly podUid?: string;
  readonly hostIp?: readonly string[];
  readonly nodeName?: string;
  readonly nodeCpu?: string;
  readonly nodeMemory?: string;
  readonly clusterId?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly istioVersion?: string;
  readonly bootstrapOverride?: string;
  readonly existingSocket?: readonly string[];
  readonly explain?: boolean;
  readonly json?: boolean;
}

export interface ManifestBootstrapOptions extends ManifestOptions {
  readonly shape: BootstrapShape;
  readonly output: string;
  readonly format?: 'json' | 'yaml';
  readonly maxInput: number;
  readonly variant: 'sotw' | 'delta';
  readonly adminPort?: number;
  /** Where istiod is, if that was said on the command line. */
  readonly xds?: { readonly host: string; readonly port: number };
}

/** `bootstrap --manifest`. */
export async function writeManifestBootstrap(terminal: Terminal, options: ManifestBootstrapOptions): Promise<ExitCode> {
  const made = madeOf(await sourceOf(options, terminal), options);
  const { bootstrap, notes } = made;
  if (options.output !== '-') await writeBootstrapFile(bootstrap, options.output, options.format, terminal);
  for (const note of notes) if (!options.json) writeLine(terminal.stderr, `note: ${problemText(note)}`);
  if (options.json) writeLine(terminal.stdout, JSON.stringify(asJson(made, options.explain ?? false), undefined, 2));
  else if (options.explain) writeExplained(terminal, made);
  else if (options.output === '-') await writeBootstrapFile(bootstrap, '-', options.format, terminal);
  if (options.output !== '-') {
    const args = made.envoyArgs.length > 0 ? `; pilot-agent starts Envoy with: ${shellText(made.envoyArgs)}` : '';
    writeLine(terminal.stderr, `${options.output} written${args}`);
  }
  return ExitCode.ok;
}

async function sourceOf({ manifest, maxInput }: ManifestBootstrapOptions, terminal: Terminal): Promise<DocumentSource> {
  return manifest === '-' ? { name: '<stdin>', bytes: await terminal.readStdin(maxInput) } : manifest;
}

function madeOf(source: DocumentSource, options: ManifestBootstrapOptions): MadeBootstrap {
  const input = { maxInputBytes: options.maxInput };
  const manifest = readManifest(source, input);
  const workload = pickWorkload(manifest, options.workload);
  const mesh = options.meshConfig === undefined ? undefined : readMeshConfig(options.meshConfig, input);
  const made = makeBootstrap(manifest, workload, {
    ...podOptions(options),
    shape: options.shape,
    more: moreOf(options),
    ...(mesh ? { mesh } : {}),
    ...(options.xds
      ? { address: `${options.xds.host.includes(':') ? `[${options.xds.host}]` : options.xds.host}:${options.xds.port}` }
      : {}),
    ...(options.bootstrapOverride === undefined ? {} : { override: overrideOf(options.bootstrapOverride, options.maxInput) }),
  });
  return { ...made, notes: [...(mesh?.warnings ?? []), ...made.notes] };
}

function podOptions(options: ManifestOptions): Omit<MakeBootstrapOptions, 'shape'> {
  const { podIp, podName, namespace, podUid, hostIp, nodeName, nodeCpu, nodeMemory, clusterId, env, istioVersion } = options;
  const given = {
    podIps: podIp,
    podName,
    podNamespace: namespace,
    podUid,
    hostIps: hostIp,
    nodeName,
    nodeCpu,
    nodeMemory,
    clusterId,
    env,
    istioVersion,
  };
  const sockets = options.existingSocket ?? [];
  return {
    ...(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Omit<MakeBootstrapOptions, 'shape'>),
    sockets: { workload: sockets.includes('workload'), credential: sockets.includes('credential') },
  };
}

function moreOf({ variant, adminPort, shape }: ManifestBootstrapOptions): Pick<BootstrapOptions, 'variant' | 'admin'> {
  return { variant, admin: { port: adminPort ?? defaultAdminPort(shape === 'lesson' ? shape : 'lab') } };
}

function overrideOf(file: string, maxInputBytes: number): NonNullable<MakeBootstrapOptions['override']> {
  const document = readDocument(file, { maxInputBytes });
  const { text, at } = overrideText(document);
  return { text: text ?? JSON.stringify(document.value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)), at };
}

/** Each part with its origin below it; neighbours in one object that come from one place share a line. */
function writeExplained({ stdout }: Terminal, { bootstrap, origins }: MadeBootstrap): void {
  const lines = explainBootstrap(bootstrap, origins).map(({ path, value, from }) => {
    const [, parent = '', key = path] = /^(.*)\.(\w+)$/.exec(path) ?? [];
    return { path, parent, key, value, from: originText(from) };
  });
  for (let i = 0; i < lines.length;) {
    const first = lines[i];
    if (!first) return;
    let end = i + 1;
    while (first.parent !== '' && lines[end]?.parent === first.parent && lines[end]?.from === first.from) end += 1;
    const keys = lines.slice(i, end).map(({ key }) => key);
    const text = keys.length === 1 ? `${first.path} = ${shortValue(first.value)}` : `${first.parent}.{${keys.join(', ')}}`;
    writeLine(stdout, `${text}\n    <- ${first.from}`);
    i = end;
  }
}

function shortValue(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 97)}...` : text;
}

function asJson({ bootstrap, origins, release, start, proxyConfig, envoyArgs, notes }: MadeBootstrap, explain: boolean): object {
  return {
    bootstrap,
    istio: { version: release.version, template: release.line },
    env: Object.fromEntries([...start.env].map(([name, { value }]) => [name, value])),
    args: start.args,
    proxyConfig: proxyConfig.value,
    envoyArgs,
    notes: notes.map(({ at, what, remedy }) => ({ ...at, what, ...(remedy === undefined ? {} : { remedy }) })),
    ...(explain ? { explain: explainBootstrap(bootstrap, origins).map(({ path, value, from }) => ({ path, value, from })) } : {}),
  };
}

function shellText(args: readonly string[]): string {
  return args.map((arg) => (/^[\w./:=,@-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", String.raw`'\''`)}'`)).join(' ');
}
