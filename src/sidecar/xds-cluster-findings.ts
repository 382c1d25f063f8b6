import type { Problem } from '../errors.ts';
import type { SourceDocument } from '../protobuf/document.ts';
import { nearestName } from '../protobuf/nearest-name.ts';
import { child, everywhere, inside, items, textOf, type Place } from './bootstrap-place.ts';

/** The static clusters of a bootstrap. */
export function staticClusterPlaces(root: Place): readonly Place[] {
  return items(inside(root, 'static_resources', 'clusters'));
}

/** Every place where the bootstrap names the cluster of its control plane. */
export function xdsTargets(root: Place): readonly Place[] {
  const dynamic = child(root, 'dynamic_resources');
  const sources = [child(dynamic, 'ads_config'), ...['cds_config', 'lds_config'].map((key) => inside(dynamic, key, 'api_config_source'))];
  const named = sources.flatMap((source) =>
    items(child(source, 'grpc_services')).map((service) => inside(service, 'envoy_grpc', 'cluster_name')),
  );
  return named.filter((place) => place !== undefined);
}

/** The static cluster of a name. */
export function clusterNamed(clusters: readonly Place[], name: unknown): Place | undefined {
  return clusters.find((candidate) => child(candidate, 'name')?.value === name);
}

/** An xDS cluster that is not there, or that does not speak HTTP/2; a cluster for secrets that is not there. */
export function xdsClusterFindings(document: SourceDocument, root: Place): Problem[] {
  const clusters = staticClusterPlaces(root);
  const found = xdsTargets(root).flatMap((target) => targetFindings(document, target, clusters));
  return [...found, ...secretClusterFindings(document, root, clusters)];
}

function targetFindings(document: SourceDocument, target: Place, clusters: readonly Place[]): Problem[] {
  const name = String(target.value);
  const cluster = clusterNamed(clusters, name);
  if (cluster) return speaksHttp2(cluster) ? [] : [withoutHttp2(document, cluster, name)];
  return [
    {
      at: document.positionOf(target.path),
      what: `the xDS cluster "${name}" is not among the static clusters (${thereAre(clusters)}): Envoy exits with \`Unknown gRPC client cluster '${name}'\`, in a pod a CrashLoop`,
      remedy: nearestRemedy(name, clusters),
    },
  ];
}

/** @note Envoy starts with it, `--mode validate` is silent: the cluster that wants the secret warms for ever. */
function secretClusterFindings(document: SourceDocument, root: Place, clusters: readonly Place[]): Problem[] {
  const sources = everywhere(child(root, 'static_resources'), 'sds_config');
  const targets = sources
    .flatMap((source) => items(inside(source, 'api_config_source', 'grpc_services')))
    .flatMap((service) => inside(service, 'envoy_grpc', 'cluster_name') ?? []);
  return targets.flatMap((target) => {
    const name = textOf(target);
    if (name === undefined || clusterNamed(clusters, name)) return [];
    return [
      {
        at: document.positionOf(target.path),
        what: `the cluster "${name}" that is to give a secret is not among the static clusters (${thereAre(clusters)}): the secret never comes, and what needs it stays warming`,
        remedy: nearestRemedy(name, clusters),
      },
    ];
  });
}

function namesOf(clusters: readonly Place[]): readonly string[] {
  return clusters.map((candidate) => textOf(child(candidate, 'name'))).filter((each) => each !== undefined);
}

function thereAre(clusters: readonly Place[]): string {
  const names = namesOf(clusters);
  const quoted = names.map((each) => `"${each}"`).join(', ');
  return names.length === 0 ? 'there are none' : names.length === 1 ? `there is only ${quoted}` : `they are ${quoted}`;
}

function nearestRemedy(name: string, clusters: readonly Place[]): string {
  const names = namesOf(clusters);
  const near = nearestName(name, names) ?? (names.length === 1 ? names[0] : undefined);
  return near === undefined ? 'Add a static cluster of that name' : `Did you mean "${near}"?`;
}

function withoutHttp2(document: SourceDocument, cluster: Place, name: string): Problem {
  return {
    at: document.positionOf(cluster.path),
    what: `the xDS cluster "${name}" does not speak HTTP/2, which gRPC needs: Envoy starts and stays PRE_INITIALIZING`,
    remedy: 'Add typed_extension_protocol_options with explicit_http_config.http2_protocol_options, as `fake-istiod bootstrap` does',
  };
}

/** Whether a cluster speaks HTTP/2, in any of the ways to say so. */
export function speaksHttp2(cluster: Place): boolean {
  if (child(cluster, 'http2_protocol_options')) return true;
  const extensions = child(cluster, 'typed_extension_protocol_options')?.value;
  if (typeof extensions !== 'object' || extensions === null) return false;
  const text = JSON.stringify(extensions, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return /"(http2_protocol_options|http2ProtocolOptions|use_downstream_protocol_config|useDownstreamProtocolConfig|auto_config|autoConfig)"/.test(
    text,
  );
}
