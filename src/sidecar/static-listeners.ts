import type { Json, JsonObject } from '../envoy/json.ts';
import type { TemplateInput } from './bootstrap-template.ts';
import { sdsSecret } from './client-tls.ts';

/** The static listeners of pilot-agent's bootstrap: 15090 for Prometheus, 15021 for the kubelet, and those for metrics over mTLS. */
export function staticListeners(input: TemplateInput): JsonObject[] {
  return [
    prometheusListener(input),
    ...secureListener(input, 'ENVOY_SECURE_METRICS_PORT', 'secure_stats', { '/stats/prometheus': 'prometheus_stats' }),
    ...secureListener(input, 'ENVOY_SECURE_MERGED_METRICS_PORT', 'secure_merged_stats', {
      '/stats/prometheus': 'agent',
      '/metrics': 'agent',
    }),
    statusListener(input),
  ];
}

function prometheusListener(input: TemplateInput): JsonObject {
  const { proxyConfig, settings, localhost, wildcard, dualStack, otherLocalhost, otherWildcard } = input;
  const metadata = proxyConfig['proxyMetadata'] as JsonObject | undefined;
  const local = metadata?.['METRICS_LOCALHOST_ACCESS_ONLY'] === 'true';
  const address = local ? localhost : wildcard;
  const port = settings.prometheusPort.value;
  return {
    name: `${address}_${port}`,
    address: socketAddress(address, port),
    ...pastOverload(input),
    ...(dualStack ? { additionalAddresses: [{ address: socketAddress(local ? otherLocalhost : otherWildcard, port) }] } : {}),
    filter_chains: [{ filters: [connectionManager('stats', { '/stats/prometheus': 'prometheus_stats' }, compressors(input))] }],
  };
}

function statusListener(input: TemplateInput): JsonObject {
  const { settings, wildcard, dualStack, otherWildcard, features, env } = input;
  const port = settings.statusPort.value;
  const proxyProtocol = features.statusPortProxyProtocol && env('ENVOY_STATUS_PORT_ENABLE_PROXY_PROTOCOL') === true;
  return {
    name: `${wildcard}_${port}`,
    address: socketAddress(wildcard, port),
    ...pastOverload(input),
    ...(dualStack ? { additionalAddresses: [{ address: socketAddress(otherWildcard, port) }] } : {}),
    ...(proxyProtocol ? { listener_filters: [proxyProtocolFilter] } : {}),
    filter_chains: [{ filters: [connectionManager('agent', { '/healthz/ready': 'agent' })] }],
  };
}

const proxyProtocolFilter: JsonObject = {
  name: 'envoy.listener.proxy_protocol',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol',
    allow_requests_without_proxy_protocol: true,
  },
};

/** mTLS listeners that 1.31 brought. */
function secureListener(input: TemplateInput, key: string, statPrefix: string, routes: Readonly<Record<string, string>>): JsonObject[] {
  const port = input.features.secureMetrics ? input.metadata[key] : undefined;
  if (typeof port !== 'number') return [];
  const tls: JsonObject = {
    require_client_certificate: true,
    common_tls_context: {
      tls_certificate_sds_secret_configs: [sdsSecret('default')],
      combined_validation_context: { default_validation_context: {}, validation_context_sds_secret_config: sdsSecret('ROOTCA') },
    },
  };
  return [
    {
      name: `${input.wildcard}_${port}`,
      address: socketAddress(input.wildcard, port),
      ...pastOverload(input),
      listener_filters: [
        {
          name: 'envoy.filters.listener.tls_inspector',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector' },
        },
      ],
      filter_chains: [
        {
          filter_chain_match: { transport_protocol: 'tls' },
          transport_socket: {
            name: 'envoy.transport_sockets.tls',
            typed_config: { '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', ...tls },
          },
          filters: [connectionManager(statPrefix, routes)],
        },
      ],
    },
  ];
}

function socketAddress(address: string, port: number): JsonObject {
  return { socket_address: { protocol: 'TCP', address, port_value: port } };
}

/** These listeners answer even when Envoy takes no more connections. */
function pastOverload({ features, env }: TemplateInput): JsonObject {
  if (features.optionalParts && env('BYPASS_OVERLOAD_MANAGER_FOR_STATIC_LISTENERS') === false) return {};
  return { ignore_global_conn_limit: true, bypass_overload_manager: true };
}

/** An HTTP connection manager that routes prefixes to clusters. */
function connectionManager(statPrefix: string, routes: Readonly<Record<string, string>>, filters: readonly JsonObject[] = []): JsonObject {
  const hosts: Json = [
    {
      name: 'backend',
      domains: ['*'],
      routes: Object.entries(routes).map(([prefix, cluster]) => ({ match: { prefix }, route: { cluster } })),
    },
  ];
  return {
    name: 'envoy.filters.network.http_connection_manager',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      codec_type: 'AUTO',
      stat_prefix: statPrefix,
      route_config: { virtual_hosts: hosts },
      http_filters: [
        ...filters,
        {
          name: 'envoy.filters.http.router',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
        },
      ],
    },
  };
}

const libraries = {
  brotli: 'envoy.extensions.compression.brotli.compressor.v3.Brotli',
  zstd: 'envoy.extensions.compression.zstd.compressor.v3.Zstd',
  gzip: 'envoy.extensions.compression.gzip.compressor.v3.Gzip',
};
const compressedTypes = [
  'text/plain',
  'application/vnd.google.protobuf',
  'application/openmetrics-text',
  'application/openmetrics-protobuf',
];

/** Compression of the metrics: by annotation the one it names, later all three unless `statsCompression` is false. */
function compressors({ features, annotations, proxyConfig }: TemplateInput): JsonObject[] {
  if (features.statsCompression === 'annotation') {
    const name = annotations['sidecar.istio.io/statsCompression'] ?? '';
    const library = Object.entries(libraries).find(([known]) => known === name)?.[1];
    return library === undefined ? [] : [compressor('envoy.filters.http.compressor', 'text_optimized', library, {})];
  }
  if (proxyConfig['statsCompression'] === false) return [];
  return Object.entries(libraries).map(([name, library]) =>
    compressor(`envoy.filters.http.compressor.${name}`, `stats_${name}`, library, {
      response_direction_config: { common_config: { content_type: compressedTypes } },
    }),
  );
}

function compressor(name: string, libraryName: string, library: string, more: JsonObject): JsonObject {
  return {
    name,
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.compressor.v3.Compressor',
      compressor_library: { name: libraryName, typed_config: { '@type': `type.googleapis.com/${library}` } },
      ...more,
    },
  };
}
