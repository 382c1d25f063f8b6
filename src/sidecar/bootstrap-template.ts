import type { Bootstrap } from '../envoy/bootstrap.ts';
import { isJsonObject, type JsonObject } from '../envoy/json.ts';
import type { AgentSettings } from './agent-settings.ts';
import { goInteger } from './go-text.ts';
import type { ReleaseFeatures } from './release-line.ts';
import { bootstrapTracer, serviceAddress, staticClusters } from './static-clusters.ts';
import { staticListeners } from './static-listeners.ts';
import { statsConfig, statsIntervals } from './stats-config.ts';

/** Everything that the bootstrap is made of. */
export interface TemplateInput {
  readonly features: ReleaseFeatures;
  readonly settings: AgentSettings;
  /** The merged ProxyConfig as protobuf's JSON. */
  readonly proxyConfig: JsonObject;
  readonly nodeCluster: string;
  readonly locality: JsonObject;
  readonly metadata: JsonObject;
  readonly annotations: Readonly<Record<string, string>>;
  /** A boolean of pilot-agent's environment; undefined where it is not set. */
  readonly env: (name: string) => boolean | undefined;
  readonly compliancePolicy: string;
  readonly hostIp: string | undefined;
  readonly localhost: string;
  readonly wildcard: string;
  readonly dualStack: boolean;
  /** Of the other family, with dual stack. */
  readonly otherLocalhost: string;
  readonly otherWildcard: string;
  readonly dnsLookupFamily: 'V4_ONLY' | 'V6_ONLY' | 'ALL';
  /** Envoy asks istiod about its peers (waypoints, HBONE). Stock Envoy does not have it. */
  readonly discoversMetadata: boolean;
  /** Socket of pilot-agent's server of files, where the workload's socket is somebody else's. */
  readonly customSdsPath: string | undefined;
}

/**
 * The bootstrap as pilot-agent writes it for Envoy, in its order.
 *
 * @see istio tools/packaging/common/envoy_bootstrap.json
 */
export function fillTemplate(input: TemplateInput): Bootstrap {
  const { settings, nodeCluster, locality, metadata, proxyConfig, localhost } = input;
  return {
    application_log_config: { log_format: settings.logAsJson ? { json_format: jsonLog } : { text_format: textLog } },
    node: { id: settings.nodeId.value, cluster: nodeCluster, locality, metadata },
    layered_runtime: {
      layers: [
        { name: 'global config', static_layer: runtimeFlags(input) },
        { name: 'admin', admin_layer: {} },
      ],
    },
    bootstrap_extensions: extensions(input),
    ...statsIntervals(input),
    stats_config: statsConfig(input),
    admin: {
      access_log: [
        {
          name: 'envoy.access_loggers.file',
          typed_config: { '@type': 'type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog', path: '/dev/null' },
        },
      ],
      profile_path: '/var/lib/istio/data/envoy.prof',
      address: { socket_address: { address: localhost, port_value: proxyConfig['proxyAdminPort'] ?? 0 } },
    },
    dynamic_resources: { lds_config: overAds, cds_config: overAds, ads_config: adsConfig(input) },
    static_resources: { clusters: staticClusters(input), listeners: staticListeners(input) },
    ...overloadManager(input),
    ...tracing(input),
    ...statsSinks(input),
    ...clusterManager(input),
    ...(input.features.optionalParts && input.env('ENABLE_DEFERRED_STATS_CREATION') === false
      ? {}
      : { deferred_stat_options: { enable_deferred_creation_stats: true } }),
  };
}

const textLog = '%Y-%m-%dT%T.%fZ\t%l\tenvoy %n %g:%#\t%v\tthread=%t';
const jsonLog: JsonObject = {
  time: '%Y-%m-%dT%T.%fZ',
  level: '%l',
  scope: 'envoy %n',
  msg: '%j',
  caller: '%g:%#',
  thread: '%t',
};
/** Istio's Envoy waits for ever. */
const overAds: JsonObject = { ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' };
const unlimitedConnections = 2_147_483_647;
const limitFlag = 'overload.global_downstream_max_connections';

function adsConfig({ settings }: TemplateInput): JsonObject {
  return {
    api_type: speaksDelta(settings) ? 'DELTA_GRPC' : 'GRPC',
    set_node_on_first_message_only: true,
    transport_api_version: 'V3',
    grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }],
  };
}

/** A waypoint always does. */
export function speaksDelta({ deltaXds, role }: AgentSettings): boolean {
  return deltaXds.value || role.value === 'waypoint';
}

function extensions({ discoversMetadata }: TemplateInput): JsonObject[] {
  const typedStruct = (name: string, type: string, value: JsonObject): JsonObject => ({
    name,
    typed_config: { '@type': 'type.googleapis.com/udpa.type.v1.TypedStruct', type_url: `type.googleapis.com/${type}`, value },
  });
  const discovery = typedStruct('metadata_discovery', 'istio.workload.BootstrapExtension', { config_source: { ads: {} } });
  const internal = 'envoy.extensions.bootstrap.internal_listener.v3.InternalListener';
  return [...(discoversMetadata ? [discovery] : []), typedStruct('envoy.bootstrap.internal_listener', internal, { buffer_size_kb: 64 })];
}

/** @see istio pkg/bootstrap/config.go:extractRuntimeFlags */
function runtimeFlags({ features, proxyConfig, compliancePolicy, env }: TemplateInput): JsonObject {
  const flags = new Map<string, boolean | string>([
    ['envoy.deprecated_features:envoy.config.listener.v3.Listener.hidden_envoy_deprecated_use_original_dst', true],
    ...Object.entries(features.runtimeFlags),
    ['envoy.reloadable_features.http_reject_path_with_fragment', false],
    ...(features.connectionLimit === 'runtime' ? [[limitFlag, String(unlimitedConnections)] as const] : []),
    ['re2.max_program_size.error_level', '32768'],
  ]);
  if (compliancePolicy === 'fips-140-2') flags.set('envoy.reloadable_features.google_grpc_disable_tls_13', true);
  if (env('HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED') === false) {
    flags.set('envoy.reloadable_features.http_strip_fragment_from_path_unsafe_if_disabled', 'false');
  }
  for (const [name, value] of Object.entries(runtimeValues(proxyConfig))) {
    // The empty text takes a flag away.
    if (value === '') flags.delete(name);
    else flags.set(name, value === 'true' || value === 'false' ? value === 'true' : value);
  }
  return Object.fromEntries(flags);
}

function runtimeValues(proxyConfig: JsonObject): Readonly<Record<string, string>> {
  const values = proxyConfig['runtimeValues'];
  return isJsonObject(values) ? Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])) : {};
}

function overloadManager({ features, proxyConfig }: TemplateInput): JsonObject {
  if (features.connectionLimit === 'runtime') return {};
  const settable = features.connectionLimit === 'settable monitor';
  const metadata = proxyConfig['proxyMetadata'];
  const said = isJsonObject(metadata) ? goInteger(String(metadata['ISTIO_META_GLOBAL_DOWNSTREAM_MAX_CONNECTIONS'] ?? '')) : undefined;
  const limit = settable ? (said ?? goInteger(runtimeValues(proxyConfig)[limitFlag])) : undefined;
  return {
    overload_manager: {
      resource_monitors: [
        {
          name: 'envoy.resource_monitors.global_downstream_max_connections',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
            max_active_downstream_connections: limit ?? unlimitedConnections,
          },
        },
      ],
    },
  };
}

/** @note Of Stackdriver, OpenCensus and OpenTelemetry the bootstrap holds nothing: istiod configures those per listener. */
function tracing({ proxyConfig, nodeCluster }: TemplateInput): JsonObject {
  const tracer = bootstrapTracer(proxyConfig);
  if (!tracer) return {};
  const [type, config] = {
    zipkin: [
      'ZipkinConfig',
      {
        collector_cluster: 'zipkin',
        collector_endpoint: '/api/v2/spans',
        collector_endpoint_version: 'HTTP_JSON',
        trace_id_128bit: true,
        shared_span_context: false,
      },
    ] as const,
    lightstep: [
      'LightstepConfig',
      {
        collector_cluster: 'lightstep',
        access_token_file: joinedPath(String(proxyConfig['configPath'] ?? ''), 'lightstep_access_token.txt'),
      },
    ] as const,
    datadog: ['DatadogConfig', { collector_cluster: 'datadog_agent', service_name: nodeCluster }] as const,
  }[tracer.name as 'zipkin' | 'lightstep' | 'datadog'];
  const typed: JsonObject = { '@type': `type.googleapis.com/envoy.config.trace.v3.${type}`, ...config };
  return { tracing: { http: { name: `envoy.tracers.${tracer.name}`, typed_config: typed } } };
}

/** @see https://pkg.go.dev/path#Join */
function joinedPath(folder: string, file: string): string {
  return `${folder.replace(/^(\.\/)+/, '').replace(/\/+$/, '')}/${file}`;
}

function statsSinks({ proxyConfig, hostIp }: TemplateInput): JsonObject {
  const service = proxyConfig['envoyMetricsService'];
  const metrics = isJsonObject(service) && service['address'] ? [metricsSink] : [];
  const address = serviceAddress(proxyConfig['statsdUdpAddress'], hostIp);
  const statsd = address ? [statsdSink(address)] : [];
  return metrics.length + statsd.length === 0 ? {} : { stats_sinks: [...metrics, ...statsd] };
}

const metricsSink: JsonObject = {
  name: 'envoy.stat_sinks.metrics_service',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.config.metrics.v3.MetricsServiceConfig',
    transport_api_version: 'V3',
    grpc_service: { envoy_grpc: { cluster_name: 'envoy_metrics_service' } },
  },
};

function statsdSink(address: JsonObject): JsonObject {
  return {
    name: 'envoy.stat_sinks.statsd',
    typed_config: { '@type': 'type.googleapis.com/envoy.config.metrics.v3.StatsdSink', address: { socket_address: address } },
  };
}

function clusterManager({ settings, metadata, features }: TemplateInput): JsonObject {
  const local = features.secureMetrics && metadata['ENABLE_SELF_DISCOVERY'] === 'true';
  const loadStats = loadStatsConfig(metadata['LOAD_STATS_CONFIG_JSON']);
  if (!local && settings.outlierLogPath === '' && loadStats === undefined) return {};
  return {
    cluster_manager: {
      ...(local ? { local_cluster_name: 'local_cluster' } : {}),
      ...(settings.outlierLogPath === '' ? {} : { outlier_detection: { event_log_path: settings.outlierLogPath } }),
      ...(loadStats === undefined ? {} : { load_stats_config: loadStats }),
      enable_deferred_cluster_creation: true,
    },
  };
}

function loadStatsConfig(text: unknown): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(typeof text === 'string' ? text : 'null');
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
