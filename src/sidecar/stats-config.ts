import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import type { TemplateInput } from './bootstrap-template.ts';
import { goDurationNanos, goDurationText } from './go-text.ts';

/** Annotations by which a pod chooses its stats. They go before ProxyConfig's `proxyStatsMatcher`, list by list. */
const annotation = {
  prefixes: 'sidecar.istio.io/statsInclusionPrefixes',
  suffixes: 'sidecar.istio.io/statsInclusionSuffixes',
  regexps: 'sidecar.istio.io/statsInclusionRegexps',
  tags: 'sidecar.istio.io/extraStatTags',
  buckets: 'sidecar.istio.io/statsHistogramBuckets',
  flush: 'sidecar.istio.io/statsFlushInterval',
  eviction: 'sidecar.istio.io/statsEvictionInterval',
};

/** Without these pilot-agent could not tell whether Envoy is ready. */
const requiredPrefixes = ['cluster_manager', 'listener_manager', 'server', 'cluster.xds-grpc', 'wasm'];
const requiredSuffixes = ['rbac.allowed', 'rbac.denied', 'shadow_allowed', 'shadow_denied'];
const requiredRegexps = String.raw`vhost\..*\.route\..*`;

/** `stats_config`: only the stats that match its list exist in this Envoy. @see istio pkg/bootstrap/config.go:getStatsOptions */
export function statsConfig(input: TemplateInput): JsonObject {
  const buckets = histogramBuckets(input.annotations[annotation.buckets]);
  return {
    use_all_default_tags: false,
    stats_tags: statsTags(extraTags(input)),
    ...(buckets.length > 0 ? { histogram_bucket_settings: buckets } : {}),
    stats_matcher: { inclusion_list: { patterns: inclusions(input) } },
  };
}

function inclusions(input: TemplateInput): JsonObject[] {
  const draining = input.settings.exitOnZeroActiveConnections.value ? ['downstream_cx_active'] : [];
  const list = (key: 'prefixes' | 'suffixes' | 'regexps', field: string, required: readonly string[]): readonly string[] =>
    [...chosen(input, key, field), ...required].flatMap((text) =>
      text.includes('{pod_ip}') ? input.settings.ips.value.map((ip) => text.replaceAll('{pod_ip}', ip)) : [text],
    );
  return [
    { prefix: 'reporter=' },
    ...(input.discoversMetadata ? [{ prefix: 'workload_discovery' }] : []),
    ...list('prefixes', 'inclusionPrefixes', requiredPrefixes).map((prefix) => ({ prefix })),
    ...list('suffixes', 'inclusionSuffixes', [...requiredSuffixes, ...draining]).map((suffix) => ({ suffix })),
    ...list('regexps', 'inclusionRegexps', [requiredRegexps]).map((regex) => ({ safe_regex: { regex } })),
    { prefix: 'component' },
    { prefix: 'istio' },
  ];
}

function chosen({ annotations, proxyConfig }: TemplateInput, key: 'prefixes' | 'suffixes' | 'regexps', field: string): readonly string[] {
  const said = annotations[annotation[key]];
  if (said !== undefined && said !== '') return said.split(',');
  const matcher = proxyConfig['proxyStatsMatcher'];
  return isJsonObject(matcher) ? texts(matcher[field]) : [];
}

function texts(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function extraTags({ annotations, proxyConfig }: TemplateInput): readonly string[] {
  const all = [...texts(proxyConfig['extraStatTags']), ...(annotations[annotation.tags] ?? '').split(',')];
  return [...new Set(all.filter((tag) => tag !== ''))];
}

function statsTags(extra: readonly string[]): JsonObject[] {
  const tag = (tag_name: string, regex: string): JsonObject => ({ tag_name, regex });
  const r = String.raw;
  return [
    tag('cluster_name', r`^cluster(\.(.+);)`),
    tag('http_conn_manager_prefix', r`^http\.(((?:[_.[:digit:]\w]*|[_\[\]aAbBcCdDeEfF[:digit:]\w\:]*));\.)`),
    tag('thread_name', r`^server(\.(.+))\.watchdog`),
    tag('tcp_prefix', r`^tcp\.((.*?)\.)\w+?$`),
    tag('response_code', r`_rq(_(\d{3}))$`),
    tag('response_code_class', r`_rq(_(\dxx))$`),
    tag('http_conn_manager_listener_prefix', r`^listener(?=\.).*?\.http\.(((?:[_.[:digit:]]*|[_\[\]aAbBcCdDeEfF[:digit:]]*))\.)`),
    tag('listener_address', r`^listener\.(((?:[_.[:digit:]]*|[_\[\]aAbBcCdDeEfF[:digit:]]*))\.)`),
    tag('mongo_prefix', r`^mongo\.(.+?)\.(collection|cmd|cx_|op_|delays_|decoding_)(.*?)$`),
    ...extra.map((name) => tag(name, r`(${name}=\.=(.*?);\.;)`)),
    tag('cache', r`(cache\.(.+?)\.)`),
    tag('component', r`(component\.(.+?)\.)`),
    tag('tag', r`(tag\.(.+?);\.)`),
    tag('wasm_filter', r`(wasm_filter\.(.+?)\.)`),
    tag('authz_enforce_result', r`rbac(\.(allowed|denied))`),
    tag('authz_dry_run_action', r`(\.istio_dry_run_(allow|deny)_)`),
    tag('authz_dry_run_result', r`(\.shadow_(allowed|denied))`),
  ];
}

/** @note An annotation that is no such JSON is only warned of. */
function histogramBuckets(text: string | undefined): JsonObject[] {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '{}');
  } catch {
    return [];
  }
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const good = entries.every(([, buckets]) => Array.isArray(buckets) && buckets.every((bound) => typeof bound === 'number'));
  if (!good) return [];
  return entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([prefix, buckets]) => ({ match: { prefix }, buckets }));
}

/** `stats_flush_interval` and `stats_eviction_interval`, since 1.28. The second has to be a multiple of the first. */
export function statsIntervals({ features, annotations }: TemplateInput): JsonObject {
  if (!features.statsIntervals) return {};
  const flush = goDurationNanos(annotations[annotation.flush] ?? '');
  const eviction = goDurationNanos(annotations[annotation.eviction] ?? '');
  const fits = eviction !== undefined && eviction % (flush ?? 5e9) === 0 && eviction !== 0;
  return {
    // @note Go's form, not protobuf's: one minute is `1m0s`, which Envoy refuses.
    ...(flush === undefined ? {} : { stats_flush_interval: goDurationText(flush) }),
    ...(fits ? { stats_eviction_interval: `${Math.floor(eviction / 1e9)}s` } : {}),
  };
}
