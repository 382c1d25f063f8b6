import type { Told } from './origin.ts';
import type { PodFacts } from './pod-facts.ts';
import type { InjectedWorkload } from './workload.ts';

/**
 * The value that the kubelet puts for a `fieldRef`; undefined for what only the running pod knows and nobody said.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
 */
export function fieldRefValue(fieldPath: string, workload: InjectedWorkload, pod: PodFacts): Told<string> | undefined {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath) ?? [];
  // A label that is not there is the empty text.
  if (map !== undefined && key !== undefined) return ofMetadata(workload, map === 'labels' ? 'labels' : 'annotations', key);
  const told: Readonly<Record<string, Told<string> | undefined>> = {
    'metadata.name': pod.name,
    'metadata.namespace': pod.namespace,
    'metadata.uid': pod.uid,
    'spec.nodeName': pod.nodeName,
    'spec.serviceAccountName': pod.serviceAccount,
    'status.podIP': first(pod.ips),
    'status.podIPs': all(pod.ips),
    'status.hostIP': first(pod.hostIps),
    'status.hostIPs': all(pod.hostIps),
  };
  return told[fieldPath];
}

/** The option that gives what a `fieldRef` wants. */
export function optionOfField(fieldPath: string): string | undefined {
  return {
    'metadata.name': '--pod-name',
    'metadata.uid': '--pod-uid',
    'spec.nodeName': '--node-name',
    'status.podIP': '--pod-ip',
    'status.podIPs': '--pod-ip',
    'status.hostIP': '--host-ip',
    'status.hostIPs': '--host-ip',
  }[fieldPath];
}

function ofMetadata({ pod, positionOf }: InjectedWorkload, map: 'labels' | 'annotations', key: string): Told<string> {
  const at = positionOf([...pod.path, 'metadata', map, key]);
  return { value: pod[map][key] ?? '', from: [{ text: `metadata.${map}['${key}']`, at }] };
}

function first(list: Told<readonly string[]> | undefined): Told<string> | undefined {
  const value = list?.value[0];
  return list && value !== undefined ? { value, from: list.from } : undefined;
}

function all(list: Told<readonly string[]> | undefined): Told<string> | undefined {
  return list && { value: list.value.join(','), from: list.from };
}
