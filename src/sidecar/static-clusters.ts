import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import { splitHostPort } from './go-text.ts';
import { socketOfTls } from './client-tls.ts';
import type { TemplateInput } from './bootstrap-template.ts';

/** The static clusters of pilot-agent's bootstrap. @see istio tools/packaging/common/envoy_bootstrap.json */
export function staticClusters(input: TemplateInput): JsonObject[] {
  const { proxyConfig, localhost, settings, metadata, customSdsPath, features } = input;
  const admin = { socket_address: { protocol: 'TCP', address: localhost, port_value: proxyConfig['proxyAdminPort'] ?? 0 } };
  const agent = { socket_address: { protocol: 'TCP', address: localhost, port_value: proxyConfig['statusPort'] ?? 0 } };
  return [
    fixedCluster('prometheus_stats', admin, { connect_timeout: '0.250s' }),
    fixedCluster('agent', agent, { connect_timeout: '0.250s' }),
    fixedCluster('sds-grpc', pipe(`./var/run/secrets/workload-spiffe-uds/${settings.workloadSocketFile.value}`), http2),
    ...(customSdsPath === undefined ? [] : [fixedCluster('sds-files-grpc', pipe(customSdsPath), http2)]),
    fixedCluster('xds-grpc', pipe(`${String(proxyConfig['configPath'] ?? '')}/XDS`), { ...xdsConnection, ...http2 }),
    ...tracingCluster(input),
    ...serviceCluster(input, 'envoy_metrics_service', 'envoyMetricsService'),
    ...serviceCluster(input, 'envoy_accesslog_service', 'envoyAccessLogService'),
    ...(features.secureMetrics && metadata['ENABLE_SELF_DISCOVERY'] === 'true' ? [localCluster] : []),
  ];
}

const http2: JsonObject = {
  typed_extension_protocol_options: {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      explicit_http_config: { http2_protocol_options: {} },
    },
  },
};

const unlimited: JsonObject = { max_connections: 100_000, max_pending_requests: 100_000, max_requests: 100_000 };

const xdsConnection: JsonObject = {
  circuit_breakers: {
    thresholds: [
      { priority: 'DEFAULT', ...unlimited },
      { priority: 'HIGH', ...unlimited },
    ],
  },
  upstream_connection_options: { tcp_keepalive: { keepalive_time: 300 } },
  max_requests_per_connection: 1,
};

/** @note "name;" in the name of its stats is Istio's: the semicolon ends the tag cluster_name. */
function fixedCluster(name: string, address: JsonObject, more: JsonObject): JsonObject {
  return {
    name,
    alt_stat_name: `${name};`,
    type: 'STATIC',
    connect_timeout: '1s',
    lb_policy: 'ROUND_ROBIN',
    load_assignment: assignment(name, address),
    ...more,
  };
}

function assignment(name: string, address: JsonObject): JsonObject {
  return { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] };
}

function pipe(path: string): JsonObject {
  return { pipe: { path } };
}

function dnsCluster(name: string, address: JsonObject, { dnsLookupFamily }: TemplateInput, more: JsonObject): JsonObject {
  return {
    name,
    alt_stat_name: `${name};`,
    type: 'STRICT_DNS',
    respect_dns_ttl: true,
    dns_lookup_family: dnsLookupFamily,
    connect_timeout: '1s',
    lb_policy: 'ROUND_ROBIN',
    load_assignment: assignment(name, { socket_address: address }),
    ...more,
  };
}

/** Of `host:port`; undefined if it is none. `$(HOST_IP)` is the node's address. @see istio pkg/bootstrap/option/convert.go:addressConverter */
export function serviceAddress(text: unknown, hostIp: string | undefined): JsonObject | undefined {
  const parts = typeof text === 'string' ? splitHostPort(text) : undefined;
  if (!parts || !/^\d+$/.test(parts.port)) return undefined;
  const host = parts.host === '$(HOST_IP)' && hostIp !== undefined && hostIp !== '' ? hostIp : parts.host;
  return { address: host, port_value: Number(parts.port) };
}

/** The tracer that the bootstrap has a cluster for, and its settings. */
export function bootstrapTracer(
  proxyConfig: JsonObject,
): { readonly name: string; readonly cluster: string; readonly settings: JsonObject } | undefined {
  const tracing = proxyConfig['tracing'];
  if (!isJsonObject(tracing)) return undefined;
  for (const [name, cluster] of Object.entries({ zipkin: 'zipkin', lightstep: 'lightstep', datadog: 'datadog_agent' })) {
    const settings = tracing[name];
    if (isJsonObject(settings) && settings['address']) return { name, cluster, settings };
  }
  return undefined;
}

function tracingCluster(input: TemplateInput): JsonObject[] {
  const tracer = bootstrapTracer(input.proxyConfig);
  const address = serviceAddress(tracer?.settings['address'], input.hostIp);
  const tracing = input.proxyConfig['tracing'];
  if (!tracer || !address || !isJsonObject(tracing)) return [];
  const tls = tlsPart(tracing['tlsSettings'], 'tracer', input, tracer.name === 'lightstep');
  const own: JsonObject = tracer.name === 'zipkin' ? { dns_refresh_rate: '30s' } : tracer.name === 'lightstep' ? http2 : {};
  return [dnsCluster(tracer.cluster, address, input, { ...own, ...tls })];
}

function serviceCluster(input: TemplateInput, name: string, field: string): JsonObject[] {
  const service = input.proxyConfig[field];
  const address = isJsonObject(service) ? serviceAddress(service['address'], input.hostIp) : undefined;
  if (!isJsonObject(service) || !address) return [];
  const keepalive = tcpKeepalive(service['tcpKeepalive']);
  return [dnsCluster(name, address, input, { ...tlsPart(service['tlsSettings'], name, input, true), ...keepalive, ...http2 })];
}

function tlsPart(settings: Json | undefined, sni: string, { metadata }: TemplateInput, h2: boolean): JsonObject {
  const socket = isJsonObject(settings) ? socketOfTls(settings, { sni, h2, metadata }) : undefined;
  return socket ? { transport_socket: socket } : {};
}

/**
 * @note pilot-agent writes each number as `{ "value": n }`, which Envoy takes for a wrapper spelled out.
 * @see istio pkg/bootstrap/option/convert.go:keepaliveConverter
 */
function tcpKeepalive(settings: Json | undefined): JsonObject {
  if (!isJsonObject(settings)) return {};
  const number = (value: Json | undefined): number =>
    typeof value === 'number' ? value : Math.floor(Number(/^(\d+)(\.\d+)?s$/.exec(String(value))?.[1] ?? 0));
  const parts = { keepalive_probes: settings['probes'], keepalive_time: settings['time'], keepalive_interval: settings['interval'] };
  const written = Object.entries(parts).flatMap(([key, value]) => (number(value) > 0 ? [[key, { value: number(value) }] as const] : []));
  return { upstream_connection_options: { tcp_keepalive: Object.fromEntries(written) } };
}

const localCluster: JsonObject = {
  name: 'local_cluster',
  alt_stat_name: 'local_cluster;',
  type: 'EDS',
  connect_timeout: '1s',
  load_balancing_policy: {
    policies: [
      {
        typed_extension_config: {
          name: 'envoy.load_balancing_policies.least_request',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest',
            locality_lb_config: { zone_aware_lb_config: { min_cluster_size: '1' } },
          },
        },
      },
    ],
  },
  eds_cluster_config: { eds_config: { ads: {}, resource_api_version: 'V3' }, service_name: 'local_cluster' },
};
