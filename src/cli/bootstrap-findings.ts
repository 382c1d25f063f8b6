import type { Problem } from '../errors.ts';
import type { DocumentPath, SourceDocument } from '../protobuf/document.ts';
import { nearestName } from '../protobuf/nearest-name.ts';

/** A value of the document and the path that led to it. */
interface Place {
  readonly value: unknown;
  readonly path: DocumentPath;
}

/**
 * What Envoy does not say of a bootstrap in `--mode validate`, or says without telling where: an ADS cluster that is not among the
 * static ones, an xDS cluster without HTTP/2, a fetch timeout that ends in a false LIVE.
 */
export function bootstrapFindings(document: SourceDocument): Problem[] {
  const root: Place = { value: document.value, path: [] };
  const clusters = items(child(child(root, 'static_resources'), 'clusters'));
  const targets = xdsTargets(root);
  const found = targets.flatMap((target) => clusterFindings(document, target, clusters));
  return [...found, ...fetchTimeoutFindings(document, root)];
}

/** Every place where the bootstrap names the cluster of its control plane. */
function xdsTargets(root: Place): readonly Place[] {
  const dynamic = child(root, 'dynamic_resources');
  const sources = [
    child(dynamic, 'ads_config'),
    ...['cds_config', 'lds_config'].map((key) => child(child(dynamic, key), 'api_config_source')),
  ];
  const named = sources.flatMap((source) =>
    items(child(source, 'grpc_services')).map((service) => child(child(service, 'envoy_grpc'), 'cluster_name')),
  );
  return named.filter((place) => place !== undefined);
}

function clusterFindings(document: SourceDocument, target: Place, clusters: readonly Place[]): Problem[] {
  const name = String(target.value);
  const cluster = clusters.find((candidate) => child(candidate, 'name')?.value === name);
  if (cluster) return speaksHttp2(cluster) ? [] : [withoutHttp2(document, cluster, name)];
  const names = clusters.map((candidate) => child(candidate, 'name')?.value).filter((each) => typeof each === 'string');
  const near = nearestName(name, names) ?? (names.length === 1 ? names[0] : undefined);
  const quoted = names.map((each) => `"${each}"`).join(', ');
  const there = names.length === 0 ? 'there are none' : names.length === 1 ? `there is only ${quoted}` : `they are ${quoted}`;
  return [
    {
      at: document.positionOf(target.path),
      what: `the xDS cluster "${name}" is not among the static clusters (${there}): Envoy exits with \`Unknown gRPC client cluster '${name}'\`, in a pod a CrashLoop`,
      ...(near === undefined ? { remedy: 'Add a static cluster of that name' } : { remedy: `Did you mean "${near}"?` }),
    },
  ];
}

function withoutHttp2(document: SourceDocument, cluster: Place, name: string): Problem {
  return {
    at: document.positionOf(cluster.path),
    what: `the xDS cluster "${name}" does not speak HTTP/2, which gRPC needs: Envoy starts and stays PRE_INITIALIZING`,
    remedy: 'Add typed_extension_protocol_options with explicit_http_config.http2_protocol_options, as `fake-istiod bootstrap` does',
  };
}

function speaksHttp2(cluster: Place): boolean {
  if (child(cluster, 'http2_protocol_options')) return true;
  const extensions = child(cluster, 'typed_extension_protocol_options')?.value;
  if (typeof extensions !== 'object' || extensions === null) return false;
  const text = JSON.stringify(extensions, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return /"(http2_protocol_options|http2ProtocolOptions|use_downstream_protocol_config|useDownstreamProtocolConfig|auto_config|autoConfig)"/.test(
    text,
  );
}

function fetchTimeoutFindings(document: SourceDocument, root: Place): Problem[] {
  const dynamic = child(root, 'dynamic_resources');
  return ['cds_config', 'lds_config'].flatMap((key) => {
    const source = child(dynamic, key);
    if (!source || child(source, 'path') || child(source, 'path_config_source')) return [];
    const timeout = child(source, 'initial_fetch_timeout');
    if (timeout && isZero(timeout.value)) return [];
    const said = timeout
      ? `initial_fetch_timeout of ${key} is ${String(timeout.value)}`
      : `${key} has no initial_fetch_timeout, so it is Envoy's default of 15s`;
    return [
      {
        at: document.positionOf((timeout ?? source).path, timeout ? 'value' : 'key'),
        what: `${said}: an answer that stays out ends in a false LIVE, with nothing configured`,
        remedy: "Istio's bootstrap has 0s, which waits for ever",
      },
    ];
  });
}

function isZero(duration: unknown): boolean {
  return typeof duration === 'string' ? /^0(\.0*)?s$/.test(duration) : duration === 0;
}

/** The value under a key, in snake or camel case. */
function child(place: Place | undefined, key: string): Place | undefined {
  const value = place?.value;
  if (!place || typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const camel = key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const found = [key, camel].find((each) => each in value);
  return found === undefined ? undefined : { value: (value as Record<string, unknown>)[found], path: [...place.path, found] };
}

function items(place: Place | undefined): readonly Place[] {
  if (!place) return [];
  if (!Array.isArray(place.value)) return [place];
  return place.value.map((value: unknown, i) => ({ value, path: [...place.path, i] }));
}
