import { isIP } from 'node:net';
import { FakeIstiodError } from '../errors.ts';
import type { Bootstrap } from './bootstrap.ts';
import { isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

/** Where a control plane listens. */
export interface XdsAddress {
  readonly host: string;
  readonly port: number;
}

/** How the bootstrap reaches its control plane: by a static cluster of that name, or by Google's gRPC client. */
type AdsTarget = { readonly kind: 'cluster'; readonly name: string } | { readonly kind: 'google_grpc'; readonly targetUri: string };

/**
 * A user's own bootstrap, aimed at another control plane: the addresses of the cluster that `ads_config` names (or its
 * `google_grpc.target_uri`) become `address`, the admin API moves to a free port of 127.0.0.1. Keys may be snake or camel case;
 * all else stays as it is, TLS too. A cluster that is not among the static ones is left alone: that Envoy exits over it may be
 * what the user wants to see. Error `bootstrap.invalid` says what is missing.
 */
export function rewriteXdsAddress(bootstrap: Bootstrap, address: XdsAddress): Bootstrap {
  const target = adsTarget(bootstrap);
  const moved = target.kind === 'cluster' ? withClusterAt(bootstrap, target.name, address) : withTargetUri(bootstrap, address);
  const admin = field(moved, 'admin');
  const adminAddress = { socket_address: { address: '127.0.0.1', port_value: 0 } };
  return { ...moved, admin: { ...(isJsonObject(admin) ? admin : {}), address: adminAddress } };
}

/** Where the bootstrap's control plane is, if it is told as one host and port; errors as {@link rewriteXdsAddress}. */
export function xdsAddress(bootstrap: Bootstrap): XdsAddress | undefined {
  const target = adsTarget(bootstrap);
  if (target.kind === 'google_grpc') {
    const match = /^(?:dns:\/{0,3})?(.+):(\d+)$/.exec(target.targetUri);
    return match ? { host: match[1] ?? '', port: Number(match[2]) } : undefined;
  }
  const cluster = staticClusters(bootstrap).find((candidate) => candidate['name'] === target.name);
  const group = objects(path(cluster, 'load_assignment', 'endpoints'))[0];
  const endpoint = path(objects(field(group, 'lb_endpoints'))[0], 'endpoint', 'address', 'socket_address');
  const port = field(endpoint, 'port_value');
  const host = field(endpoint, 'address');
  return typeof host === 'string' && typeof port === 'number' ? { host, port } : undefined;
}

function adsTarget(bootstrap: Bootstrap): AdsTarget {
  const service = adsService(bootstrap);
  const cluster = path(service, 'envoy_grpc', 'cluster_name');
  if (typeof cluster === 'string') return { kind: 'cluster', name: cluster };
  const targetUri = path(service, 'google_grpc', 'target_uri');
  if (typeof targetUri === 'string') return { kind: 'google_grpc', targetUri };
  throw invalid('dynamic_resources.ads_config.grpc_services[0] names neither envoy_grpc.cluster_name nor google_grpc.target_uri');
}

function adsService(bootstrap: Bootstrap): Json | undefined {
  if (!isJsonObject(field(bootstrap, 'dynamic_resources'))) throw invalid('there is no dynamic_resources');
  const ads = path(bootstrap, 'dynamic_resources', 'ads_config');
  if (!isJsonObject(ads)) throw invalid('there is no dynamic_resources.ads_config');
  const services = field(ads, 'grpc_services');
  const service = Array.isArray(services) ? (services as readonly Json[])[0] : services;
  if (service === undefined) throw invalid('dynamic_resources.ads_config has no grpc_services');
  return service;
}

function invalid(what: string): FakeIstiodError {
  return new FakeIstiodError('bootstrap.invalid', `the bootstrap cannot be aimed at fake-istiod: ${what}`, {
    remedy: 'It must get its configuration over ADS; `fake-istiod bootstrap` prints one that does',
  });
}

function staticClusters(bootstrap: Bootstrap): readonly JsonObject[] {
  return objects(path(bootstrap, 'static_resources', 'clusters'));
}

function withClusterAt(bootstrap: Bootstrap, name: string, address: XdsAddress): Bootstrap {
  return changed(bootstrap, ['static_resources', 'clusters'], (clusters) =>
    Array.isArray(clusters)
      ? (clusters as readonly Json[]).map((cluster) =>
          isJsonObject(cluster) && cluster['name'] === name ? moved(cluster, name, address) : cluster,
        )
      : clusters,
  );
}

/** Discovery types that take an address as it stands; a name among STATIC addresses Envoy refuses. */
function discoveryType(old: Json | undefined, host: string): string {
  const fits = old === 'STRICT_DNS' || old === 'LOGICAL_DNS' || (isIP(host) !== 0 && old === 'STATIC');
  return fits ? old : isIP(host) ? 'STATIC' : 'STRICT_DNS';
}

function moved(cluster: JsonObject, name: string, { host, port }: XdsAddress): JsonObject {
  const gone = ['load_assignment', 'loadAssignment', 'eds_cluster_config', 'edsClusterConfig', 'cluster_type', 'clusterType'];
  const kept = Object.fromEntries(Object.entries(cluster).filter(([key]) => !gone.includes(key)));
  const endpoint = { address: { socket_address: { address: host, port_value: port } } };
  return {
    ...kept,
    type: discoveryType(cluster['type'], host),
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
}

function withTargetUri(bootstrap: Bootstrap, { host, port }: XdsAddress): Bootstrap {
  const uri = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return changed(bootstrap, ['dynamic_resources', 'ads_config', 'grpc_services'], (services) => {
    const [first, ...rest] = Array.isArray(services) ? (services as readonly Json[]) : [services ?? {}];
    return [changed(isJsonObject(first) ? first : {}, ['google_grpc', 'target_uri'], () => uri), ...rest];
  });
}

/** A copy with the value at `keys` (snake case, found in either case) replaced. */
function changed(value: JsonObject, keys: readonly string[], change: (old: Json | undefined) => Json | undefined): JsonObject {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const found = keyIn(value, key) ?? key;
  const old = value[found];
  const next = rest.length === 0 ? change(old) : changed(isJsonObject(old) ? old : {}, rest, change);
  return next === undefined ? value : { ...value, [found]: next };
}

function keyIn(value: JsonObject, key: string): string | undefined {
  const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return key in value ? key : camel in value ? camel : undefined;
}

function field(value: Json | undefined, key: string): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  const found = keyIn(value, key);
  return found === undefined ? undefined : value[found];
}

function path(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>((at, key) => field(at, key), value);
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}
