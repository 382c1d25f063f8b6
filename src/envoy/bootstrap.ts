import { isIP } from 'node:net';
import { mergeJson } from './json.ts';
import type { Json, JsonObject } from './json.ts';
import { tokenFileFilters } from './token-file.ts';

/** An Envoy bootstrap as a plain JSON object in snake case (`envoy.config.bootstrap.v3.Bootstrap`). */
export type Bootstrap = JsonObject;

/** Who the proxy says it is: `node` of the bootstrap, in Istio's form. */
export interface BootstrapNode {
  /** The whole id; default `sidecar~IP~NAME.NAMESPACE~NAMESPACE.svc.cluster.local`. */
  readonly id?: string;
  /** `node.cluster`; default `WORKLOAD.NAMESPACE`. */
  readonly cluster?: string;
  /** Pod IP, default `10.0.0.7`. */
  readonly ip?: string;
  /** Pod name, default `payments-6d5f9`. */
  readonly name?: string;
  /** Default `default`. */
  readonly namespace?: string;
  /** Metadata `WORKLOAD_NAME`, default `payments`. */
  readonly workloadName?: string;
  /** Metadata `CLUSTER_ID`, by which istiod picks a cluster's configuration; default `Kubernetes`. */
  readonly clusterId?: string;
  /** Metadata `MESH_ID`, default `cluster.local`. */
  readonly meshId?: string;
  /** Metadata `NETWORK`; default: none. */
  readonly network?: string;
  /** Where the proxy runs; default: it is not told. */
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
  /** More metadata, merged over those of above; `null` deletes one. */
  readonly metadata?: JsonObject;
}

/** TLS towards the control plane. */
export interface BootstrapTls {
  /** The root certificate (PEM) that the server's chain must end in. */
  readonly rootCert: string;
  /** Server name asked for, and the DNS name that the server's certificate must have. Default `istiod.istio-system.svc`. */
  readonly sni?: string;
  /** DNS name that the certificate must have where it differs from `sni`; `false` accepts any name. */
  readonly subjectAltName?: string | false;
  /** The client's own certificate chain and private key (PEM), for mutual TLS. */
  readonly certificate?: { readonly chain: string; readonly privateKey: string };
}

/** Where the admin API listens: a TCP address (port 0 = a free one) or a Unix socket. */
export type AdminAddress = { readonly host?: string; readonly port?: number } | { readonly socketPath: string };

export interface BootstrapOptions {
  /** Host of the control plane. An IP gives a STATIC cluster, a name STRICT_DNS. Default `localhost`. */
  readonly host?: string;
  /** Port of the control plane, default 15012. */
  readonly port?: number;
  /**
   * Further control planes, each asked only as long as those before it cannot be reached: priorities of the static cluster, and an outlier
   * detection that lets the first failed connection count, for 1 s. A host that is a name takes them all to be names.
   */
  readonly standby?: readonly { readonly host?: string; readonly port: number }[];
  /** `GRPC` or `DELTA_GRPC` (default, as pilot-agent writes it). */
  readonly variant?: 'sotw' | 'delta';
  /**
   * `lab` (default): short reconnect back-off, so that recovery takes tenths of seconds instead of 7 to 20 s; a free admin port.
   * `lesson`: the hand-written shape, without back-off, admin on 9982.
   */
  readonly shape?: 'lab' | 'lesson';
  /** `initial_fetch_timeout` of CDS and LDS as a protobuf duration, default `0s` (wait for ever). Envoy's own default is 15s. */
  readonly fetchTimeout?: string;
  /** Name of the static cluster, default `xds-grpc`. */
  readonly clusterName?: string;
  /** Cluster named by `ads_config`; default `clusterName`. Another name makes Envoy exit, which may be wanted. */
  readonly adsCluster?: string;
  readonly node?: BootstrapNode;
  readonly admin?: AdminAddress;
  readonly tls?: BootstrapTls;
  /** Metadata sent with each xDS stream, e.g. `{ authorization: 'Bearer …', clusterid: 'Kubernetes' }`. */
  readonly initialMetadata?: Readonly<Record<string, string>>;
  /**
   * A file whose token goes with each xDS stream as `authorization: Bearer …`, and which Envoy reads anew whenever one is moved into its
   * place. `tokenFileText` says what it holds. Absolute path.
   */
  readonly tokenFile?: string;
  /** Anything else, laid over the result: objects merge, lists replace, `null` deletes. */
  readonly merge?: JsonObject;
}

/** The admin port that the hand-written lesson uses. */
export const lessonAdminPort = 9982;

/**
 * The plain bootstrap: an Envoy that knows nothing but who it is and where its control plane listens. CDS and LDS come over ADS;
 * the only static cluster is the control plane's.
 */
export function bootstrap(options: BootstrapOptions = {}): Bootstrap {
  const clusterName = options.clusterName ?? 'xds-grpc';
  const source = { ads: {}, initial_fetch_timeout: options.fetchTimeout ?? '0s', resource_api_version: 'V3' };
  const plain: Bootstrap = {
    node: node(options.node ?? {}),
    admin: { address: adminAddress(options) },
    dynamic_resources: { cds_config: source, lds_config: source, ads_config: adsConfig(options, options.adsCluster ?? clusterName) },
    static_resources: { clusters: [xdsCluster(clusterName, options)] },
  };
  return options.merge ? mergeJson(plain, options.merge) : plain;
}

function node(options: BootstrapNode): JsonObject {
  const { ip = '10.0.0.7', name = 'payments-6d5f9', namespace = 'default', workloadName = 'payments' } = options;
  const metadata: JsonObject = {
    CLUSTER_ID: options.clusterId ?? 'Kubernetes',
    MESH_ID: options.meshId ?? 'cluster.local',
    NAMESPACE: namespace,
    WORKLOAD_NAME: workloadName,
    ...(options.network === undefined ? {} : { NETWORK: options.network }),
  };
  const { region, zone, subZone } = options.locality ?? {};
  const locality = { ...(region ? { region } : {}), ...(zone ? { zone } : {}), ...(subZone ? { sub_zone: subZone } : {}) };
  return {
    id: options.id ?? `sidecar~${ip}~${name}.${namespace}~${namespace}.svc.cluster.local`,
    cluster: options.cluster ?? `${workloadName}.${namespace}`,
    metadata: mergeJson(metadata, options.metadata ?? {}),
    ...(Object.keys(locality).length > 0 ? { locality } : {}),
  };
}

function adminAddress({ admin = {}, shape }: BootstrapOptions): JsonObject {
  if ('socketPath' in admin) return { pipe: { path: admin.socketPath } };
  const port = admin.port ?? (shape === 'lesson' ? lessonAdminPort : 0);
  return { socket_address: { address: admin.host ?? '127.0.0.1', port_value: port } };
}

function adsConfig(options: BootstrapOptions, cluster: string): JsonObject {
  // The default back-off (0.5 s doubling to 30 s, jittered) makes every lost stream a long wait.
  const retry = { retry_policy: { retry_back_off: { base_interval: '0.1s', max_interval: '0.5s' } } };
  const metadata = Object.entries(options.initialMetadata ?? {}).map(([key, value]) => ({ key, value }));
  return {
    api_type: options.variant === 'sotw' ? 'GRPC' : 'DELTA_GRPC',
    transport_api_version: 'V3',
    set_node_on_first_message_only: true,
    grpc_services: [
      {
        envoy_grpc: { cluster_name: cluster, ...(options.shape === 'lesson' ? {} : retry) },
        ...(metadata.length > 0 ? { initial_metadata: metadata } : {}),
      },
    ],
  };
}

/** @note Without it an endpoint that refuses every connection counts as healthy, and the next priority is never asked. */
const standbyDetection: JsonObject = {
  split_external_local_origin_errors: true,
  consecutive_local_origin_failure: 1,
  enforcing_consecutive_local_origin_failure: 100,
  interval: '0.5s',
  base_ejection_time: '1s',
  max_ejection_time: '1s',
  max_ejection_percent: 100,
};

function xdsCluster(name: string, options: BootstrapOptions): JsonObject {
  const host = options.host ?? 'localhost';
  const all = [{ host, port: options.port ?? 15012 }, ...(options.standby ?? [])];
  const endpoints = all.map((one, priority) => ({
    ...(priority > 0 ? { priority } : {}),
    lb_endpoints: [{ endpoint: { address: { socket_address: { address: one.host ?? host, port_value: one.port } } } }],
  }));
  return {
    name,
    // V4_PREFERRED: Envoy tries only one family, and `localhost` often has an IPv6 address on which nothing listens.
    ...(all.every((one) => isIP(one.host ?? host)) ? { type: 'STATIC' } : { type: 'STRICT_DNS', dns_lookup_family: 'V4_PREFERRED' }),
    connect_timeout: '1s',
    load_assignment: { cluster_name: name, endpoints },
    ...(all.length > 1 ? { outlier_detection: standbyDetection } : {}),
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
        ...(options.tokenFile === undefined ? {} : { http_filters: tokenFileFilters(options.tokenFile) }),
      },
    },
    ...(options.tls ? { transport_socket: tlsSocket(options.tls) } : {}),
  };
}

function tlsSocket(tls: BootstrapTls): JsonObject {
  const sni = tls.sni ?? 'istiod.istio-system.svc';
  const name = tls.subjectAltName ?? sni;
  const match: Json = [{ san_type: 'DNS', matcher: { exact: String(name) } }];
  const own = tls.certificate;
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      sni,
      common_tls_context: {
        alpn_protocols: ['h2'],
        ...(own
          ? { tls_certificates: [{ certificate_chain: { inline_string: own.chain }, private_key: { inline_string: own.privateKey } }] }
          : {}),
        validation_context: {
          trusted_ca: { inline_string: tls.rootCert },
          ...(name === false ? {} : { match_typed_subject_alt_names: match }),
        },
      },
    },
  };
}
