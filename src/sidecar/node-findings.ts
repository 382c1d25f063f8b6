import { isIP } from 'node:net';
import type { Problem } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import { nearestName } from '../protobuf/nearest-name.ts';
import { child, inside, textOf, type Place } from './bootstrap-place.ts';
import { looksLikeIstiod, xdsEndpoints } from './xds-address-findings.ts';

/** @see istio pkg/model/proxy.go:NodeType */
const roles = ['sidecar', 'router', 'waypoint', 'ztunnel', 'agentgateway'];
const istioKeys = ['CLUSTER_ID', 'MESH_ID', 'ISTIO_VERSION', 'PROXY_CONFIG', 'WORKLOAD_NAME', 'INSTANCE_IPS', 'NAMESPACE'];

/** Whether the bootstrap is of a proxy of Istio: only then does its node have to be in Istio's form. */
export function isOfIstio(root: Place): boolean {
  const node = child(root, 'node');
  const metadata = child(node, 'metadata');
  if (textOf(child(node, 'id'))?.includes('~') || istioKeys.some((key) => child(metadata, key) !== undefined)) return true;
  return xdsEndpoints(root).some(({ host, pipe }) => looksLikeIstiod(host) || pipe?.endsWith('/XDS'));
}

/**
 * What istiod refuses or misunderstands in the node of a bootstrap.
 *
 * @see istio pkg/model/proxy.go:ParseServiceNodeWithMetadata, pilot/pkg/xds/ads.go:initProxyMetadata
 */
export function nodeFindings(document: SourceDocument, root: Place): Problem[] {
  if (!isOfIstio(root)) return [];
  const node = child(root, 'node');
  const id = child(node, 'id');
  const text = textOf(id);
  if (!id || text === undefined || text === '') {
    return [
      {
        at: document.positionOf((id ?? node ?? root).path),
        what: 'there is no node.id: istiod closes the stream with `missing node information`',
        remedy: idRemedy,
      },
    ];
  }
  return [...idFindings(document, root, id, text), ...clusterIdFindings(document, root)];
}

const idRemedy = 'Write it as role~IP~pod.namespace~domain: sidecar~10.0.0.7~web-1.demo~demo.svc.cluster.local';

function idFindings(document: SourceDocument, root: Place, { path }: Place, text: string): Problem[] {
  const at = document.positionOf(path);
  const parts = text.split('~');
  if (parts.length !== 4) {
    const what = `the node id "${text}" has ${parts.length} ${parts.length === 1 ? 'field' : 'fields'} between "~", and istiod wants four: it closes the stream with \`missing parts in the service node\``;
    return [{ at, what, remedy: idRemedy }];
  }
  const [role = '', ip = ''] = parts;
  const found: Problem[] = [];
  if (!roles.includes(role)) {
    const near = nearestName(role, roles);
    found.push({
      at,
      what: `the node id "${text}" has the role "${role}", which istiod does not know: it closes the stream`,
      remedy: near === undefined ? `Roles are ${roles.join(', ')}` : `Did you mean "${near}"? Roles are ${roles.join(', ')}`,
    });
  }
  if (isIP(ip) === 0 && !hasAddress(root)) {
    found.push({
      at,
      what: `the node id "${text}" has "${ip}" where the pod's IP belongs, and no INSTANCE_IPS goes before it: istiod closes the stream with \`no valid IP address\``,
      remedy: 'Give the IP of the pod, $(INSTANCE_IP) expanded',
    });
  }
  return found;
}

/** @note istiod takes it all the same; only what people read, e.g. `istioctl proxy-status`, is short of a namespace. */
export function nodeWarnings(document: SourceDocument, root: Place): Problem[] {
  const id = inside(root, 'node', 'id');
  const parts = textOf(id)?.split('~') ?? [];
  const name = parts[2] ?? '';
  if (!id || parts.length !== 4 || name.includes('.')) return [];
  const what = `the node id "${parts.join('~')}" has "${name}" where pod.namespace belongs`;
  return [{ at: document.positionOf(id.path), what, remedy: idRemedy }];
}

function hasAddress(root: Place): boolean {
  const told = textOf(inside(root, 'node', 'metadata', 'INSTANCE_IPS')) ?? '';
  return told.split(',').some((ip) => isIP(ip) !== 0);
}

function clusterIdFindings(document: SourceDocument, root: Place): Problem[] {
  const metadata = inside(root, 'node', 'metadata');
  const clusterId = child(metadata, 'CLUSTER_ID');
  if (typeof clusterId?.value === 'string' && clusterId.value !== '') return [];
  const place = clusterId ?? metadata ?? child(root, 'node') ?? root;
  return [
    {
      at: document.positionOf(place.path, clusterId ? 'value' : 'key'),
      what: 'node.metadata has no CLUSTER_ID, by which istiod picks the cluster that the pod belongs to: it takes its own, and mixes pods of two clusters',
      remedy: 'Set ISTIO_META_CLUSTER_ID of the proxy; Istio installs "Kubernetes"',
    },
  ];
}
