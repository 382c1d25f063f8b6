import type { ClusterIdentity } from './cluster-identity.ts';

/** What two proxies look like to one istiod. */
export interface ClusterComparison {
  readonly a: ClusterIdentity;
  readonly b: ClusterIdentity;
  /** False if istiod cannot tell that they run in two clusters. */
  readonly distinguishable: boolean;
  /** Sentences: first the verdict, then what follows from each field. */
  readonly findings: readonly string[];
}

/**
 * Whether istiod can tell two proxies' clusters apart. It goes by CLUSTER_ID alone: a network or mesh id that differs does not help, and two
 * proxies of one cluster have one id rightly.
 *
 * @see docs/sidecar.md; istio pilot/pkg/serviceregistry/aggregate/controller.go:skipSearchingRegistryForProxy
 */
export function compareClusters(a: ClusterIdentity, b: ClusterIdentity): ClusterComparison {
  const distinguishable = a.clusterId !== undefined && b.clusterId !== undefined && a.clusterId !== b.clusterId;
  return { a, b, distinguishable, findings: [...clusterFindings(a, b), ...networkFindings(a, b), ...otherFindings(a, b)] };
}

const ofOne =
  'If these are two clusters: istiod takes both proxies for pods of one. It reviews the tokens of both with one API server, which refuses the ' +
  "other's (16, authentication failure); and where identity passes another way it looks the proxy up by its IP in the wrong registry: no inbound " +
  'listeners, or those of an unrelated pod';

function clusterFindings(a: ClusterIdentity, b: ClusterIdentity): readonly string[] {
  if (a.clusterId !== undefined && b.clusterId !== undefined) {
    if (a.clusterId !== b.clusterId) return [`CLUSTER_ID differs (${a.clusterId}, ${b.clusterId}): istiod tells the two clusters apart`];
    const address = a.ip !== undefined && a.ip === b.ip ? `; and both have the address ${a.ip}, so a push for one may go to the other` : '';
    const byDefault = a.clusterId === 'Kubernetes' ? " (Istio's default: was global.multiCluster.clusterName set?)" : '';
    return [`CLUSTER_ID is the same, ${a.clusterId}${byDefault}: to istiod the two are in one cluster${address}`, ofOne];
  }
  const without = [a, b].filter(({ clusterId }) => clusterId === undefined).map(({ subject }) => subject);
  const other = a.clusterId ?? b.clusterId;
  const one = `CLUSTER_ID is missing in ${without.join(' and ')}: istiod takes that for its own cluster`;
  return other === undefined ? [one, ofOne] : [`${one}, which may be ${other} as well`, ofOne];
}

function networkFindings({ network: a }: ClusterIdentity, { network: b }: ClusterIdentity): readonly string[] {
  if (a === undefined && b === undefined) return ['NETWORK is set in neither: endpoints of the other are called at their own addresses'];
  if (a === b) return [`NETWORK is the same, ${a ?? ''}: endpoints of the other are called at their own addresses`];
  if (a !== undefined && b !== undefined)
    return [`NETWORK differs (${a}, ${b}): endpoints of the other are called through its east-west gateway`];
  return [`NETWORK is set in one only (${a ?? b ?? ''}): the other's proxy goes through the gateway, if that network has one`];
}

function otherFindings(a: ClusterIdentity, b: ClusterIdentity): readonly string[] {
  const fields = [
    ['MESH_ID', a.meshId, b.meshId, 'telemetry counts them as two meshes; istiod does not choose by it'],
    ['TRUST_DOMAIN', a.trustDomain, b.trustDomain, 'each must list the other in trustDomainAliases, or mTLS between them fails'],
  ] as const;
  return fields.flatMap(([name, left, right, what]) =>
    left !== undefined && right !== undefined && left !== right ? [`${name} differs (${left}, ${right}): ${what}`] : [],
  );
}
