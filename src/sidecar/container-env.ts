import type { Problem } from '../errors.ts';
import type { EnvEntry } from './env-entry.ts';
import { fieldRefValue, optionOfField } from './field-ref.ts';
import type { Origin, Told } from './origin.ts';
import type { PodFacts } from './pod-facts.ts';
import { dividedQuantity } from './quantity.ts';
import { expandVariables } from './variable-expansion.ts';
import type { InjectedWorkload, ManifestConfigMap } from './workload.ts';

/** What the proxy container is started with, as the kubelet makes it of the manifest. */
export interface ContainerStart {
  /** In the order of the manifest; of two of one name the last counts. */
  readonly env: ReadonlyMap<string, Told<string>>;
  /** The arguments, expanded. */
  readonly args: readonly string[];
  /** What could not be known: the variable is then left out. */
  readonly notes: readonly Problem[];
}

export interface ContainerStartOptions {
  readonly pod: PodFacts;
  /** ConfigMaps that stand in the same file. */
  readonly configMaps: readonly ManifestConfigMap[];
  /** Values by hand, over the manifest's: name → value and the option that said so. */
  readonly overrides?: ReadonlyMap<string, Told<string>>;
}

/**
 * Plays the kubelet: resolves every reference of the container's `env` in order, expands `$(NAME)` in values by what stands before them, and in
 * the arguments by all.
 *
 * @see k8s.io/kubernetes pkg/kubelet/kubelet_pods.go:makeEnvironmentVariables
 */
export function startContainer(workload: InjectedWorkload, options: ContainerStartOptions): ContainerStart {
  const env = new Map<string, Told<string>>();
  const notes: Problem[] = [];
  for (const entry of workload.proxy.env) {
    const told = options.overrides?.get(entry.name) ?? entryValue(entry, workload, options, env, notes);
    if (told) env.set(entry.name, told);
  }
  for (const [name, told] of options.overrides ?? []) env.set(name, told);
  for (const source of workload.proxy.envFrom) {
    notes.push({ at: workload.positionOf(workload.proxy.path), what: `what envFrom takes from ${source} is not known here` });
  }
  const args = [...workload.proxy.args.command, ...workload.proxy.args.raw].map((arg) => {
    const { text, unknown } = expandVariables(arg, (name) => env.get(name)?.value);
    for (const name of unknown) notes.push(unknownReference(workload, workload.proxy.path, name, `the argument ${arg}`));
    return text;
  });
  return { env, args, notes };
}

function entryValue(
  entry: EnvEntry,
  workload: InjectedWorkload,
  { pod, configMaps }: ContainerStartOptions,
  before: ReadonlyMap<string, Told<string>>,
  notes: Problem[],
): Told<string> | undefined {
  const at = workload.positionOf(entry.path);
  const own: Origin = { text: `env ${entry.name}`, at };
  const unknown = (what: string, remedy?: string): undefined => {
    notes.push({ at, what: `${entry.name} is left out: ${what}`, ...(remedy === undefined ? {} : { remedy }) });
    return undefined;
  };
  if (entry.source === 'value') {
    const { text, used, unknown: names } = expandVariables(entry.value, (name) => before.get(name)?.value);
    for (const name of names) notes.push(unknownReference(workload, entry.path, name, entry.name));
    return { value: text, from: [own, ...used.flatMap((name) => before.get(name)?.from ?? [])] };
  }
  if (entry.source === 'fieldRef') {
    const told = fieldRefValue(entry.fieldPath, workload, pod);
    if (told) return { value: told.value, from: [{ ...own, text: `env ${entry.name} (fieldRef ${entry.fieldPath})` }, ...told.from] };
    const option = optionOfField(entry.fieldPath);
    return unknown(`${entry.fieldPath} is known only to the running pod`, option && `Give ${option}`);
  }
  if (entry.source === 'resourceFieldRef') return resourceValue(entry, workload, pod, own, unknown);
  if (entry.source === 'unknown')
    return unknown(`Kubernetes has no reference "${entry.reference}" that is known here`, `Give --env ${entry.name}=...`);
  if (entry.source === 'configMapKeyRef') {
    const map = configMaps.find(({ name }) => name === entry.object);
    const value = map?.data[entry.key];
    if (map && value !== undefined)
      return { value, from: [own, { text: `ConfigMap ${map.name}`, at: map.positionOf([...map.path, 'data', entry.key]) }] };
    return unknown(`the ConfigMap ${entry.object} is not in this file`, `Give --env ${entry.name}=...`);
  }
  return unknown(`the Secret ${entry.object} is not read`, `Give --env ${entry.name}=...`);
}

/** @note Without a limit the kubelet gives what the node has. @see k8s.io/kubernetes pkg/api/v1/resource/helpers.go:MergeContainerResourceLimits */
function resourceValue(
  entry: EnvEntry & { readonly source: 'resourceFieldRef' },
  { proxy }: InjectedWorkload,
  pod: PodFacts,
  own: Origin,
  unknown: (what: string, remedy?: string) => undefined,
): Told<string> | undefined {
  const [kind = '', resource = ''] = entry.resource.split('.', 2);
  const foreign = entry.containerName !== undefined && entry.containerName !== proxy.name;
  const written = kind === 'limits' ? proxy.limits[resource] : kind === 'requests' ? proxy.requests[resource] : undefined;
  if (foreign) return unknown(`it is a resource of the container ${entry.containerName}`, `Give --env ${entry.name}=...`);
  const ofNode = kind !== 'limits' ? undefined : resource === 'cpu' ? pod.nodeCpu : resource === 'memory' ? pod.nodeMemory : undefined;
  const quantity = written ?? ofNode ?? (kind === 'requests' ? '0' : undefined);
  if (quantity === undefined) {
    return unknown(
      `the container has no ${entry.resource}, so it is what the node has`,
      resource === 'cpu' || resource === 'memory' ? `Give --node-${resource}` : `Give --env ${entry.name}=...`,
    );
  }
  const value = dividedQuantity(quantity, entry.divisor);
  if (value === undefined)
    return unknown(`${quantity} by ${entry.divisor ?? '1'} is no quantity of Kubernetes`, 'Write it as 2, 500m or 1Gi');
  const source: Origin = { text: written === undefined ? `--node-${resource} ${quantity}` : `resources.${entry.resource} ${quantity}` };
  return { value: String(value), from: [{ ...own, text: `env ${entry.name} (resourceFieldRef ${entry.resource})` }, source] };
}

function unknownReference(workload: InjectedWorkload, path: EnvEntry['path'], name: string, where: string): Problem {
  return {
    at: workload.positionOf(path),
    what: `${where} refers to $(${name}), which is not set before it: the kubelet leaves it as it is written`,
    remedy: `Give --env ${name}=... if the cluster sets it`,
  };
}
