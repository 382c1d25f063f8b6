import type { Bootstrap, BootstrapOptions } from '../envoy/bootstrap.ts';
import { FakeIstiodError, type Problem } from '../errors.ts';
import { readDocument } from '../protobuf/document.ts';
import { proxyConfigMessage, readApiValue } from './api-fields.ts';
import { applyOverride, overrideAnnotation, overrideKey, overrideNotes, withHostIp, type BootstrapOverride } from './bootstrap-override.ts';
import { startContainer, type ContainerStart } from './container-env.ts';
import { lessonBootstrap, lessonMetadata } from './lesson-bootstrap.ts';
import { mergeProxyConfig } from './merge-proxy-config.ts';
import type { MeshConfig } from './mesh-config.ts';
import { Origins, type Told } from './origin.ts';
import { pilotAgentBootstrap, type PilotAgentBootstrap } from './pilot-agent-bootstrap.ts';
import { podFacts, type PodFacts, type PodFactsOptions } from './pod-facts.ts';
import { proxyConfigLayers } from './proxy-config-layers.ts';
import type { MergedProxyConfig, ProxyConfigLayer } from './proxy-config.ts';
import { readRelease, releaseLines, releaseOfImage, type Release } from './release-line.ts';
import type { InjectedWorkload, Manifest } from './workload.ts';

/** How the bootstrap is written: as pilot-agent does, as the lesson does by hand, or as fake-istiod's own runs have it. */
export type BootstrapShape = 'pilot-agent' | 'lesson' | 'lab';

export interface MakeBootstrapOptions extends PodFactsOptions {
  readonly shape: BootstrapShape;
  readonly mesh?: MeshConfig;
  /** A release of Istio; default: by the image of the proxy, else the newest known. */
  readonly istioVersion?: string;
  /** `ISTIO_META_CLUSTER_ID` by hand. */
  readonly clusterId?: string;
  /** More environment by hand: name → value. */
  readonly env?: Readonly<Record<string, string>>;
  /** The text of a bootstrap override that is not in the manifest. */
  readonly override?: { readonly text: string; readonly at: BootstrapOverride['at'] };
  /** Sockets of others that are there when pilot-agent starts. */
  readonly sockets?: { readonly workload: boolean; readonly credential: boolean };
  /** Of shapes `lesson` and `lab`. */
  readonly more?: Pick<BootstrapOptions, 'variant' | 'admin'>;
  /** Of shapes `lesson` and `lab`: another address than `discoveryAddress`. */
  readonly address?: string;
}

export interface MadeBootstrap {
  readonly bootstrap: Bootstrap;
  readonly origins: Origins;
  readonly release: Release;
  /** What the proxy container is started with. */
  readonly start: ContainerStart;
  readonly proxyConfig: MergedProxyConfig;
  /** The arguments with which pilot-agent starts Envoy; of the other shapes none. */
  readonly envoyArgs: readonly string[];
  /** What could not be known or is not as in the pod. */
  readonly notes: readonly Problem[];
}

/**
 * Makes the bootstrap of a workload: the kubelet's part, then pilot-agent's, then Envoy's merge of the override.
 *
 * @throws FakeIstiodError `bootstrap.invalid` where the pod would have none, and for what has to be given by hand.
 */
export function makeBootstrap(manifest: Manifest, workload: InjectedWorkload, options: MakeBootstrapOptions): MadeBootstrap {
  const pod = podFacts(workload, options);
  refuseUnknownPod(workload, pod);
  const start = startContainer(workload, { pod, configMaps: manifest.configMaps, overrides: byHand(options) });
  const proxyConfig = proxyConfigOf(workload, start, options.mesh);
  const release = releaseOf(workload, options.istioVersion);
  const agent = pilotAgentBootstrap({
    workload,
    pod,
    start,
    proxyConfig,
    release,
    ...(options.sockets ? { sockets: options.sockets } : {}),
  });
  const made = options.shape === 'pilot-agent' ? agent : asLesson(agent, proxyConfig, options.shape, options);
  const override = overrideOf(manifest, workload, start, options);
  const bootstrap = override.value ? applyOverride(made.bootstrap, override.value, made.origins) : made.bootstrap;
  const agentArgs = options.shape === 'pilot-agent' ? agent.envoyArgs : [];
  return {
    bootstrap,
    origins: made.origins,
    release: release.value,
    start,
    proxyConfig,
    envoyArgs: override.value && agentArgs.length > 0 ? withOverride(agentArgs, override.value.text) : agentArgs,
    notes: [...made.notes, ...override.notes],
  };
}

function refuseUnknownPod(workload: InjectedWorkload, { ips, name }: PodFacts): void {
  const needs = (field: string): boolean =>
    workload.proxy.env.some((entry) => entry.source === 'fieldRef' && entry.fieldPath.startsWith(field));
  const missing = [
    ...(ips === undefined && needs('status.podIP') ? ['--pod-ip 10.0.0.7'] : []),
    ...(name === undefined && needs('metadata.name') ? [`--pod-name ${workload.name}-6d5f9`] : []),
  ];
  if (missing.length === 0) return;
  throw FakeIstiodError.of('bootstrap.invalid', [
    {
      at: workload.positionOf(workload.pod.path),
      what: `the pod's ${missing.length === 2 ? 'IP and name are' : missing[0]?.startsWith('--pod-ip') ? 'IP is' : 'name is'} known only when it runs`,
      remedy: `Give ${missing.join(' ')}, or the output of \`kubectl get pod NAME -o yaml\``,
    },
  ]);
}

function byHand({ env, clusterId }: MakeBootstrapOptions): ReadonlyMap<string, Told<string>> {
  const given = new Map<string, Told<string>>();
  for (const [name, value] of Object.entries(env ?? {})) given.set(name, { value, from: [{ text: `--env ${name}` }] });
  if (clusterId !== undefined) given.set('ISTIO_META_CLUSTER_ID', { value: clusterId, from: [{ text: '--cluster-id' }] });
  return given;
}

/** @note pilot-agent of 1.6 and later ignores the arguments that were ProxyConfig before. */
function proxyConfigOf(workload: InjectedWorkload, { env }: ContainerStart, mesh: MeshConfig | undefined): MergedProxyConfig {
  const options = { oldArguments: false, ...(mesh ? { mesh } : {}) };
  const layers = proxyConfigLayers(workload, options);
  const given = givenProxyConfig(workload, env.get('PROXY_CONFIG'));
  const weaker = layers.filter(({ source }) => source === 'default' || source === 'mesh-config');
  const stronger = layers.filter(({ source }) => source === 'annotation' || source === 'argument');
  const merged = mergeProxyConfig(given ? [...weaker, given, ...stronger] : layers);
  const cpuLimit = Number(env.get('ISTIO_CPU_LIMIT')?.value ?? 0);
  if (merged.value['concurrency'] !== undefined || !Number.isInteger(cpuLimit) || cpuLimit <= 0) return merged;
  return {
    value: { ...merged.value, concurrency: cpuLimit },
    origins: { ...merged.origins, concurrency: { source: 'ISTIO_CPU_LIMIT' } },
  };
}

/** PROXY_CONFIG where its value is not what the manifest says in so many words: by hand, by reference, or expanded. */
function givenProxyConfig(workload: InjectedWorkload, told: Told<string> | undefined): ProxyConfigLayer | undefined {
  const entry = workload.proxy.env.findLast(({ name }) => name === 'PROXY_CONFIG');
  if (!told || told.value.trim() === '' || (entry?.source === 'value' && entry.value === told.value)) return undefined;
  const { value } = readDocument({ name: told.from[0]?.text ?? 'PROXY_CONFIG', bytes: Buffer.from(told.value) });
  const at = told.from.find((origin) => origin.at)?.at ?? { file: told.from[0]?.text ?? 'PROXY_CONFIG' };
  const read = readApiValue(proxyConfigMessage, value, () => at);
  if (read.problems.length > 0) throw FakeIstiodError.of('mesh-config.invalid', read.problems);
  return { source: 'PROXY_CONFIG', value: read.value, positionOf: () => at };
}

function releaseOf(workload: InjectedWorkload, wanted: string | undefined): Told<Release> {
  if (wanted !== undefined) {
    const value = readRelease(wanted);
    if (value) return { value, from: [{ text: '--istio-version' }] };
    throw new FakeIstiodError('usage.invalid', `--istio-version "${wanted}" is no release of Istio`, {
      remedy: `Write it as 1.31 or 1.26.3; known are ${releaseLines.join(', ')}`,
    });
  }
  const ofImage = workload.proxy.image === undefined ? undefined : releaseOfImage(workload.proxy.image);
  if (ofImage) {
    return {
      value: ofImage,
      from: [{ text: `image ${workload.proxy.image ?? ''}`, at: workload.positionOf([...workload.proxy.path, 'image']) }],
    };
  }
  const newest = releaseLines.at(-1) ?? '1.31';
  return { value: { version: `${newest}.0`, line: newest, exact: true }, from: [{ text: 'the newest release that is known here' }] };
}

function asLesson(
  agent: PilotAgentBootstrap,
  { value, origins: fields }: MergedProxyConfig,
  shape: 'lesson' | 'lab',
  { more, address }: MakeBootstrapOptions,
): Pick<PilotAgentBootstrap, 'bootstrap' | 'origins' | 'notes'> {
  const origins = new Origins();
  for (const path of [['node', 'id'], ['node', 'cluster'], ...lessonMetadata.map((key) => ['node', 'metadata', key])]) {
    origins.note(path, ...agent.origins.of(path));
  }
  const field = fields['discoveryAddress'];
  const addressOrigin = [
    address === undefined
      ? { text: `discoveryAddress (${field?.source ?? 'default'})`, ...(field?.at ? { at: field.at } : {}) }
      : { text: '--xds' },
  ];
  const bootstrap = lessonBootstrap(
    {
      shape,
      address: address ?? String(value['discoveryAddress'] ?? ''),
      addressOrigin,
      nodeId: agent.settings.nodeId.value,
      nodeCluster: agent.nodeCluster,
      metadata: agent.metadata,
      ...(more ? { more } : {}),
    },
    origins,
  );
  return { bootstrap, origins, notes: agent.notes };
}

interface FoundOverride {
  readonly value?: BootstrapOverride;
  readonly notes: readonly Problem[];
}

/** The override that pilot-agent gives Envoy, if the pod has one and it is at hand. */
function overrideOf(
  manifest: Manifest,
  workload: InjectedWorkload,
  { env }: ContainerStart,
  { override }: MakeBootstrapOptions,
): FoundOverride {
  const hostIp = env.get('HOST_IP')?.value ?? '';
  if (override) return readOverride(override.text, override.at, hostIp);
  const file = env.get('ISTIO_BOOTSTRAP_OVERRIDE');
  if (!file) return { notes: [] };
  const name = workload.pod.annotations[overrideAnnotation];
  const map = manifest.configMaps.find((one) => one.name === name);
  const text = map?.data[overrideKey];
  if (map && text !== undefined) return readOverride(text, map.positionOf([...map.path, 'data', overrideKey]), hostIp);
  const at = file.from.find((origin) => origin.at)?.at;
  const what = `the pod's bootstrap override (${name === undefined ? file.value : `ConfigMap ${name}`}) is not in ${manifest.file}: it is not merged`;
  return { notes: [{ ...(at ? { at } : {}), what, remedy: 'Give it with --bootstrap-override FILE' }] };
}

/** @note What is no YAML pilot-agent only warns of: Envoy then starts without it. */
function readOverride(text: string, at: BootstrapOverride['at'], hostIp: string): FoundOverride {
  const replaced = withHostIp(text, hostIp);
  if (replaced.trim() === '') return { notes: [] };
  try {
    const { value } = readDocument({ name: 'override', bytes: Buffer.from(replaced) });
    const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each)) ?? 'null';
    const read: BootstrapOverride = { value: JSON.parse(json) as BootstrapOverride['value'], text: json, at };
    return { value: read, notes: overrideNotes(read) };
  } catch (error) {
    const { problems, message } = FakeIstiodError.from(error);
    const [problem] = problems;
    const line = problem?.at?.line === undefined ? '' : `in its line ${problem.at.line}: `;
    const what = `the bootstrap override is left out, as pilot-agent leaves it out with a warning: ${line}${problem?.what ?? message}`;
    return { notes: [{ at, what, ...(problem?.remedy === undefined ? {} : { remedy: problem.remedy }) }] };
  }
}

/** `--config-yaml` stands before `--concurrency`. */
function withOverride(args: readonly string[], text: string): readonly string[] {
  const index = args.indexOf('--concurrency');
  const place = index === -1 ? args.length : index;
  return [...args.slice(0, place), '--config-yaml', text, ...args.slice(place)];
}
