import type { Origin, Told } from './origin.ts';
import type { InjectedWorkload } from './workload.ts';

/** What only the running pod knows, given by hand; what is left out is taken from the manifest where it stands there. */
export interface PodFactsOptions {
  readonly podName?: string;
  readonly podNamespace?: string;
  /** All of them, the pod's own first. */
  readonly podIps?: readonly string[];
  readonly hostIps?: readonly string[];
  readonly nodeName?: string;
  readonly podUid?: string;
  /** CPUs and memory of the node, quantities: what a container without limits is told as its limit. */
  readonly nodeCpu?: string;
  readonly nodeMemory?: string;
}

/** A pod as the kubelet sees it; undefined is what nobody said. */
export interface PodFacts {
  readonly name: Told<string> | undefined;
  readonly namespace: Told<string>;
  readonly uid: Told<string> | undefined;
  readonly ips: Told<readonly string[]> | undefined;
  readonly hostIps: Told<readonly string[]> | undefined;
  readonly nodeName: Told<string> | undefined;
  readonly serviceAccount: Told<string>;
  readonly nodeCpu: string | undefined;
  readonly nodeMemory: string | undefined;
}

/** The facts of a pod of this workload. The options go before the manifest. */
export function podFacts({ pod, positionOf }: InjectedWorkload, options: PodFactsOptions = {}): PodFacts {
  const inPod = (value: string | undefined, text: string, ...path: readonly string[]): Told<string> | undefined =>
    value === undefined ? undefined : { value, from: [{ text, at: positionOf([...pod.path, ...path]) }] };
  return {
    name: given(options.podName, '--pod-name') ?? inPod(pod.name, 'metadata.name', 'metadata', 'name'),
    namespace: given(options.podNamespace, '--namespace') ??
      inPod(pod.namespace, 'metadata.namespace', 'metadata', 'namespace') ?? { value: 'default', from: [kubernetesDefault] },
    uid: given(options.podUid, '--pod-uid') ?? inPod(pod.uid, 'metadata.uid', 'metadata', 'uid'),
    ips: givenList(options.podIps, '--pod-ip') ?? inStatus(pod.podIps, 'status.podIPs'),
    hostIps: givenList(options.hostIps, '--host-ip') ?? inStatus(pod.hostIps, 'status.hostIPs'),
    nodeName: given(options.nodeName, '--node-name') ?? inPod(pod.nodeName, 'spec.nodeName', 'spec', 'nodeName'),
    serviceAccount: inPod(pod.serviceAccount, 'spec.serviceAccountName', 'spec', 'serviceAccountName') ?? {
      value: 'default',
      from: [kubernetesDefault],
    },
    nodeCpu: options.nodeCpu,
    nodeMemory: options.nodeMemory,
  };
}

const kubernetesDefault: Origin = { text: "Kubernetes' default" };

function given(value: string | undefined, text: string): Told<string> | undefined {
  return value === undefined ? undefined : { value, from: [{ text }] };
}

function givenList(value: readonly string[] | undefined, text: string): Told<readonly string[]> | undefined {
  return value === undefined || value.length === 0 ? undefined : { value, from: [{ text }] };
}

function inStatus(value: readonly string[], text: string): Told<readonly string[]> | undefined {
  return value.length === 0 ? undefined : { value, from: [{ text }] };
}
