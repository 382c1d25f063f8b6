import type { Json, JsonObject } from '../envoy/index.ts';
import type { SourcePosition } from '../errors.ts';
import type { PositionOf } from '../protobuf/document.ts';
import { eachObject, field, fieldAt, listOf, objectsOf, textOf } from './json-access.ts';

/** A name, and where it stands. */
export interface PlacedName {
  readonly name: string;
  readonly at: SourcePosition;
}

/** A cluster of the bootstrap, as far as it may lead to istiod. */
export interface StaticCluster extends PlacedName {
  /** `host:port`, or `unix:PATH`; as many as it has. */
  readonly addresses: readonly string[];
  readonly http2: boolean;
  readonly tls: boolean;
  /** Whether TCP or HTTP/2 keepalive notices a connection that was cut silently. */
  readonly keepalive: boolean;
  /** Resolved by DNS. */
  readonly dns: boolean;
}

/** What a bootstrap says that matters here. */
export interface BootstrapFacts {
  readonly at: SourcePosition;
  /** Clusters that `ads_config` names. */
  readonly adsClusters: readonly PlacedName[];
  readonly clusters: readonly StaticCluster[];
  /** CDS or LDS are asked for at all. */
  readonly isDynamic: boolean;
  /** `initial_fetch_timeout` of CDS and LDS, as written; `undefined` where it is left out: 15 s. */
  readonly fetchTimeouts: readonly { readonly of: 'CDS' | 'LDS'; readonly value: string | undefined; readonly at: SourcePosition }[];
  readonly nodeId: PlacedName | undefined;
  readonly hasNode: boolean;
  readonly metadata: JsonObject;
  readonly placeOfNode: SourcePosition;
  /** `authorization` of `initial_metadata`. */
  readonly authorization: PlacedName | undefined;
  readonly clusterIdHeader: PlacedName | undefined;
  /** Type URLs or fields of the v2 API. */
  readonly oldApi: readonly PlacedName[];
  /** Named extensions without a `typed_config`. */
  readonly untyped: readonly PlacedName[];
  /** A part to be laid over a bootstrap, not one to start with. */
  readonly isOverride: boolean;
  /** `address:port` of static listeners. */
  readonly listenerAddresses: readonly PlacedName[];
}

/** Reads a bootstrap of any version, in either spelling of field names. */
export function bootstrapFacts(value: JsonObject, positionOf: PositionOf, base: readonly (string | number)[] = []): BootstrapFacts {
  const place = (...path: readonly (string | number)[]): SourcePosition => positionOf([...base, ...spelled(value, path)]);
  const dynamic = field(value, 'dynamic_resources');
  const services = objectsOf(fieldAt(dynamic, 'ads_config.grpc_services'));
  const servicePath = ['dynamic_resources', 'ads_config', 'grpc_services'] as const;
  const header = (name: string): PlacedName | undefined =>
    services
      .flatMap((service) => objectsOf(field(service, 'initial_metadata')))
      .filter((entry) => textOf(entry['key'])?.toLowerCase() === name)
      .map((entry) => ({ name: textOf(entry['value']) ?? '', at: place(...servicePath) }))[0];
  const source = (name: 'cds_config' | 'lds_config'): Json | undefined => field(dynamic, name);
  return {
    at: place(),
    adsClusters: services.flatMap((service, i) => {
      const name = textOf(fieldAt(service, 'envoy_grpc.cluster_name'));
      return name === undefined ? [] : [{ name, at: place(...servicePath, i, 'envoy_grpc', 'cluster_name') }];
    }),
    clusters: objectsOf(fieldAt(value, 'static_resources.clusters')).map((cluster, i) =>
      staticCluster(cluster, place('static_resources', 'clusters', i)),
    ),
    isDynamic: source('cds_config') !== undefined || source('lds_config') !== undefined,
    fetchTimeouts: (['CDS', 'LDS'] as const).flatMap((of) => {
      const name = of === 'CDS' ? 'cds_config' : 'lds_config';
      const found = source(name);
      if (found === undefined) return [];
      return [{ of, value: textOf(field(found, 'initial_fetch_timeout')), at: place('dynamic_resources', name) }];
    }),
    nodeId: nodeId(value, place),
    hasNode: field(value, 'node') !== undefined,
    metadata: objectsOf([fieldAt(value, 'node.metadata') ?? null])[0] ?? {},
    placeOfNode: place('node'),
    authorization: header('authorization'),
    clusterIdHeader: header('clusterid'),
    oldApi: oldApi(value, place()),
    untyped: untyped(value, place()),
    isOverride: false,
    listenerAddresses: objectsOf(fieldAt(value, 'static_resources.listeners')).flatMap((listener, i) => {
      const address = addressText(field(listener, 'address'));
      return address === undefined ? [] : [{ name: address, at: place('static_resources', 'listeners', i) }];
    }),
  };
}

/** A path in the spelling of the file, so that its place is found. */
function spelled(value: JsonObject, path: readonly (string | number)[]): readonly (string | number)[] {
  let inner: Json | undefined = value;
  return path.map((step) => {
    if (typeof step === 'number') {
      inner = listOf(inner)[step];
      return step;
    }
    const camel = step.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const key = field(inner, step) !== undefined && inner !== null && typeof inner === 'object' && !(step in inner) ? camel : step;
    inner = field(inner, step);
    return key;
  });
}

type Place = (...path: readonly (string | number)[]) => SourcePosition;

function nodeId(value: JsonObject, place: Place): PlacedName | undefined {
  const id = textOf(fieldAt(value, 'node.id'));
  return id === undefined ? undefined : { name: id, at: place('node', 'id') };
}

function staticCluster(cluster: JsonObject, at: SourcePosition): StaticCluster {
  const addresses: string[] = [];
  eachObject(field(cluster, 'load_assignment') ?? cluster['hosts'], (object) => {
    const address = addressText(object);
    if (address !== undefined) addresses.push(address);
  });
  const text = JSON.stringify(cluster);
  return {
    name: textOf(cluster['name']) ?? '',
    at,
    addresses,
    http2: /http2_?protocol_?options/i.test(text),
    tls: /transport_?socket|tls_?context/i.test(text) && !/"envoy\.transport_sockets\.raw_buffer"/.test(text),
    keepalive: /tcp_?keepalive|connection_?keepalive/i.test(text),
    dns: /DNS/.test(textOf(cluster['type']) ?? ''),
  };
}

/** `host:port` or `unix:PATH` of an `Address`. */
export function addressText(address: Json | undefined): string | undefined {
  const socket = field(address, 'socket_address');
  const port = field(socket, 'port_value');
  if (socket !== undefined) return `${textOf(field(socket, 'address')) ?? ''}:${typeof port === 'number' ? port : (textOf(port) ?? '')}`;
  const path = textOf(fieldAt(address, 'pipe.path'));
  return path === undefined ? undefined : `unix:${path}`;
}

const v2Fields = ['hosts', 'tls_context', 'config'] as const;

function oldApi(value: JsonObject, at: SourcePosition): readonly PlacedName[] {
  const found = new Set<string>();
  eachObject(value, (object) => {
    const type = textOf(object['@type']);
    if (type !== undefined && /envoy\.(api\.v2|config\.[\w.]+\.v2(alpha\d*)?)\b/.test(type)) found.add(type);
  });
  for (const cluster of objectsOf(fieldAt(value, 'static_resources.clusters')))
    for (const name of v2Fields) if (field(cluster, name) !== undefined) found.add(`static_resources.clusters[].${name}`);
  if (field(value, 'cluster_manager') !== undefined && Array.isArray(fieldAt(value, 'cluster_manager.clusters')))
    found.add('cluster_manager.clusters');
  return [...found].map((name) => ({ name, at }));
}

/** Extensions that only carry a name, or the untyped `config` of v2. */
function untyped(value: JsonObject, at: SourcePosition): readonly PlacedName[] {
  const found = new Set<string>();
  eachObject(value, (object) => {
    const name = textOf(object['name']);
    if (
      name !== undefined &&
      /^envoy\.[a-z_.]+$/.test(name) &&
      field(object, 'typed_config') === undefined &&
      field(object, 'config') !== undefined
    )
      found.add(name);
  });
  return [...found].map((name) => ({ name, at }));
}
