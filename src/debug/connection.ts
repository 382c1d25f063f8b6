import type { NodeState, NodeStream, NodeType } from '../session/node-state.ts';
import type { DebuggedIstiod } from './face.ts';

/** One stream of a node, as istiod names it. */
export interface Connection {
  /** `me-0.demo-1`: the proxy and the number of the stream. */
  readonly id: string;
  /** The third part of an Istio node id, `me-0.demo`; the whole id of any other node. */
  readonly proxyId: string;
  readonly node: NodeState;
  readonly stream: NodeStream;
  /** What is watched on this stream, in push order. */
  readonly types: readonly NodeType[];
}

/** What an open connection is told apart by, beside its id. */
interface Told {
  readonly id: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A text of a node's metadata; empty if there is none. */
export function metadataText({ metadata }: Told, key: string): string {
  const value = metadata[key];
  return typeof value === 'string' ? value : '';
}

/** The proxy's namespace, of its metadata, else of its DNS domain (istio pilot/pkg/model/context.go:GetProxyConfigNamespace). */
export function namespaceOf(node: Told): string {
  const domain = node.id.split('~')[3] ?? '';
  return metadataText(node, 'NAMESPACE') || (domain.includes('.') ? (domain.split('.')[0] ?? '') : '');
}

const proxyTypes = ['sidecar', 'router', 'waypoint', 'ztunnel', 'agentgateway'];

/** `sidecar` of an Istio node id; undefined for any other node. */
export function proxyTypeOf({ id }: Told): string | undefined {
  return proxyTypes.find((type) => id.startsWith(`${type}~`));
}

function proxyIdOf(id: string): string {
  const parts = id.split('~');
  return parts.length === 4 ? (parts[2] ?? id) : id;
}

/** Every open stream whose node is known, by cluster, namespace and node id (istio discovery.go:SortedClients). */
export function connectionsOf({ nodes }: Pick<DebuggedIstiod, 'nodes'>): readonly Connection[] {
  const found = nodes.flatMap((node) =>
    node.streams.map((stream) => {
      const proxyId = proxyIdOf(node.id);
      const types = node.types.filter((type) => type.stream === stream.stream);
      return { id: `${proxyId}-${stream.stream}`, proxyId, node, stream, types };
    }),
  );
  const key = ({ node }: Connection): string => [metadataText(node, 'CLUSTER_ID'), metadataText(node, 'NAMESPACE'), node.id].join('\u0000');
  return found
    .map((connection) => ({ connection, place: key(connection) }))
    .sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : a.connection.stream.stream - b.connection.stream.stream))
    .map(({ connection }) => connection);
}

/** The connection that `proxyId` means: a part of its id is enough (istio debug.go:getProxyConnection). */
export function connectionNamed(connections: readonly Connection[], proxyId: string): Connection | undefined {
  return connections.find(({ id }) => id.includes(proxyId));
}

/** True for who asks of others and takes no resources itself, as istioctl does. */
export function isOnlooker({ types, node }: Connection): boolean {
  return types.length === 0 && node.metadata['PROXY_CONFIG'] === undefined;
}
