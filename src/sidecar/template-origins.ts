import { isJsonObject, type JsonObject } from '../envoy/json.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { TemplateInput } from './bootstrap-template.ts';
import type { Origin, Origins, OriginPath } from './origin.ts';
import type { Release } from './release-line.ts';
import { bootstrapTracer } from './static-clusters.ts';

export interface TemplateOriginsInput {
  readonly settings: AgentSettings;
  /** Words for where `node.cluster` comes from. */
  readonly cluster: string;
  readonly release: Release;
  readonly originOf: (proxyConfigField: string) => readonly Origin[];
  readonly template: TemplateInput;
}

const endpoint = ['load_assignment', 'endpoints', '0', 'lb_endpoints', '0', 'endpoint', 'address'];

/** Notes where the parts of the bootstrap outside `node.metadata` come from. */
export function noteTemplateOrigins(origins: Origins, input: TemplateOriginsInput): void {
  const { settings, originOf, template, release } = input;
  origins.note([], { text: `pilot-agent's bootstrap of ${release.line}` });
  origins.note(['node', 'id'], ...settings.nodeId.from);
  origins.note(['node', 'cluster'], { text: input.cluster });
  origins.note(['node', 'locality'], { text: `label ${template.features.localityLabels.join(' or ')} of the pod` });
  origins.note(['application_log_config'], { text: settings.logAsJson ? 'argument --log_as_json' : "pilot-agent's default" });
  noteRuntime(origins, template.proxyConfig, originOf);
  noteAddresses(origins, input);
  noteStats(origins, input);
  origins.note(
    ['dynamic_resources', 'ads_config', 'api_type'],
    ...(settings.role.value === 'waypoint' ? settings.role.from : settings.deltaXds.from),
  );
  const discovery = settings.metadataDiscovery?.from ?? [{ text: 'role waypoint or ENABLE_HBONE' }];
  origins.note(['bootstrap_extensions', 'metadata_discovery'], ...discovery);
  const tracer = bootstrapTracer(template.proxyConfig);
  if (tracer)
    for (const path of [['tracing'], ['static_resources', 'clusters', tracer.cluster]]) origins.note(path, ...originOf('tracing'));
  for (const [cluster, field] of [
    ['envoy_metrics_service', 'envoyMetricsService'],
    ['envoy_accesslog_service', 'envoyAccessLogService'],
  ] as const) {
    origins.note(['static_resources', 'clusters', cluster], ...originOf(field));
  }
  origins.note(['stats_sinks', 'envoy.stat_sinks.metrics_service'], ...originOf('envoyMetricsService'));
  origins.note(['stats_sinks', 'envoy.stat_sinks.statsd'], ...originOf('statsdUdpAddress'));
}

function noteRuntime(origins: Origins, proxyConfig: JsonObject, originOf: (field: string) => readonly Origin[]): void {
  const values = proxyConfig['runtimeValues'];
  for (const name of Object.keys(isJsonObject(values) ? values : {})) {
    origins.note(['layered_runtime', 'layers', 'global config', 'static_layer', name], ...originOf('runtimeValues'));
  }
}

function noteAddresses(origins: Origins, { settings, originOf, template }: TemplateOriginsInput): void {
  const family: Origin = { text: `address family of the pod (${settings.families === 'both' ? 'IPv4 and IPv6' : settings.families})` };
  const address = (path: OriginPath, ...port: readonly Origin[]): void => {
    origins.note([...path, 'socket_address', 'address'], family);
    origins.note([...path, 'socket_address', 'port_value'], ...port);
  };
  const cluster = (name: string): string[] => ['static_resources', 'clusters', name, ...endpoint];
  const listener = (port: number): string[] => ['static_resources', 'listeners', `${template.wildcard}_${port}`, 'address'];
  address(['admin', 'address'], ...originOf('proxyAdminPort'));
  address(cluster('prometheus_stats'), ...originOf('proxyAdminPort'));
  address(cluster('agent'), ...originOf('statusPort'));
  address(listener(settings.prometheusPort.value), ...settings.prometheusPort.from);
  address(listener(settings.statusPort.value), ...settings.statusPort.from);
  origins.note([...cluster('sds-grpc'), 'pipe', 'path'], ...settings.workloadSocketFile.from);
  origins.note([...cluster('xds-grpc'), 'pipe', 'path'], ...originOf('configPath'));
}

function noteStats(origins: Origins, { originOf, template, settings }: TemplateOriginsInput): void {
  const annotated = Object.keys(template.annotations).filter((name) =>
    /^sidecar\.istio\.io\/(statsInclusion|extraStatTags|statsHistogram)/.test(name),
  );
  const from: Origin[] = annotated.map((name) => ({ text: `annotation ${name}` }));
  if (template.proxyConfig['proxyStatsMatcher']) from.push(...originOf('proxyStatsMatcher'));
  if (settings.exitOnZeroActiveConnections.value) from.push(...settings.exitOnZeroActiveConnections.from);
  if (from.length > 0) origins.note(['stats_config', 'stats_matcher'], { text: "what pilot-agent's readiness needs" }, ...from);
  if (template.proxyConfig['extraStatTags']) origins.note(['stats_config', 'stats_tags'], ...originOf('extraStatTags'));
  for (const field of ['stats_flush_interval', 'stats_eviction_interval']) origins.note([field], { text: 'annotation of the pod' });
}
