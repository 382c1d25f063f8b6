import { isJsonObject } from '../envoy/json.ts';
import { FakeIstiodError, type SourcePosition } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import { optional } from './pod-template.ts';
import { workloadText } from './pick-workload.ts';
import { envText } from './read-env.ts';
import type { InjectedWorkload } from './workload.ts';
import { listAt, objectAt, textAt } from './written-value.ts';

/** By what istiod tells apart where a proxy runs. An empty value is as good as none. */
export interface ClusterIdentity {
  /** What it is called: `Deployment shop/payments`, or the node's id. */
  readonly subject: string;
  readonly at: SourcePosition;
  /** `CLUSTER_ID`: the registry that istiod looks the proxy up in, and whose API server reviews its token. */
  readonly clusterId?: string;
  /** `NETWORK`: direct address, or an east-west gateway between. */
  readonly network?: string;
  readonly meshId?: string;
  readonly trustDomain?: string;
  /** First address of the node id; known of a bootstrap or a running pod. */
  readonly ip?: string;
}

/** Of a workload of a manifest. */
export function identityOfWorkload(workload: InjectedWorkload): ClusterIdentity {
  const { proxy, pod, positionOf } = workload;
  const variable = (name: string): string | undefined => {
    const entry = proxy.env.findLast((candidate) => candidate.name === name);
    return entry && (envText(entry) || undefined);
  };
  return {
    subject: workloadText(workload),
    at: positionOf(proxy.env.find(({ name }) => name === 'ISTIO_META_CLUSTER_ID')?.path ?? proxy.path),
    ...optional('clusterId', variable('ISTIO_META_CLUSTER_ID')),
    ...optional('network', variable('ISTIO_META_NETWORK') ?? pod.labels['topology.istio.io/network']),
    ...optional('meshId', variable('ISTIO_META_MESH_ID')),
    ...optional('trustDomain', variable('TRUST_DOMAIN')),
    ...optional('ip', pod.podIps[0]),
  };
}

/** Of a bootstrap, or of the one in a config dump; undefined if the document is neither. */
export function identityOfBootstrap(document: SourceDocument): ClusterIdentity | undefined {
  const dumped = listAt(document.value, 'configs').findIndex((config) => isJsonObject(objectAt(config)['bootstrap']));
  const place = dumped === -1 ? [] : ['configs', dumped, 'bootstrap'];
  const node = objectAt(document.value, ...place, 'node');
  const id = textAt(node, 'id');
  if (id === undefined && !isJsonObject(node['metadata'])) return undefined;
  const metadata = (name: string): string | undefined => textAt(node, 'metadata', name) || undefined;
  return {
    subject: `node ${id ?? '(no id)'}`,
    at: document.positionOf([...place, 'node', ...(metadata('CLUSTER_ID') === undefined ? [] : ['metadata', 'CLUSTER_ID'])]),
    ...optional('clusterId', metadata('CLUSTER_ID')),
    ...optional('network', metadata('NETWORK') ?? textAt(node, 'metadata', 'LABELS', 'topology.istio.io/network')),
    ...optional('meshId', metadata('MESH_ID')),
    ...optional('trustDomain', metadata('TRUST_DOMAIN')),
    ...optional('ip', id?.split('~')[1] || undefined),
  };
}

/** Each identity once, the first workload that has it standing for all. */
export function distinctIdentities(all: readonly ClusterIdentity[]): readonly ClusterIdentity[] {
  const key = ({ clusterId, network, meshId, trustDomain }: ClusterIdentity): string =>
    JSON.stringify([clusterId ?? '', network ?? '', meshId ?? '', trustDomain ?? '']);
  return all.filter((one, i) => all.findIndex((other) => key(other) === key(one)) === i);
}

/** That a file has no node to compare. */
export function noNode(file: string): FakeIstiodError {
  const remedy = 'Give an injected manifest, a bootstrap, or a config dump with the bootstrap in it';
  return FakeIstiodError.of('input.unrecognised', [{ at: { file }, what: 'has no proxy whose cluster could be told', remedy }]);
}
