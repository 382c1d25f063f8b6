import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';

/** Enum values that are number 0: protobuf's JSON leaves them out. */
const zeroNames: Readonly<Record<string, string>> = {
  controlPlaneAuthPolicy: 'NONE',
  interceptionMode: 'REDIRECT',
  mode: 'DISABLE',
  forwardedClientCertDetails: 'UNDEFINED',
  attemptMode: 'DEFAULT',
};

/**
 * Fields whose message holds one plain value (`BoolValue` and its like), or that stand in a oneof: protobuf's JSON keeps them
 * even if they are false, 0 or empty.
 *
 * @see istio.io/api mesh/v1alpha1/proxy.proto, networking/v1alpha3/destination_rule.proto
 */
const keptFields = new Set([
  'concurrency',
  'holdApplicationUntilProxyStarts',
  'statsCompression',
  'serviceCluster',
  'tracingServiceName',
  'disabled',
  'insecureSkipVerify',
  'enableIstioTags',
  'disableContextPropagation',
  'fallback',
  'maxNumberOfAttributes',
  'maxNumberOfAnnotations',
  'maxNumberOfMessageEvents',
  'forwardClientCertDetails',
]);
const durations = new Set([
  'drainDuration',
  'parentShutdownDuration',
  'terminationDrainDuration',
  'discoveryRefreshDelay',
  'fileFlushInterval',
  'pollDelay',
  'time',
  'interval',
]);
const wideNumbers = new Set(['maxNumberOfAttributes', 'maxNumberOfAnnotations', 'maxNumberOfMessageEvents']);
/** Maps of texts: their empty values are kept. */
const maps = new Set(['proxyMetadata', 'runtimeValues', 'customTags']);

/**
 * A ProxyConfig in the one form that protobuf's JSON has, as pilot-agent puts it into `PROXY_CONFIG` of the node's metadata: without what
 * equals the default of its type.
 *
 * @see https://protobuf.dev/programming-guides/json/
 */
export function proxyConfigJson(config: JsonObject): JsonObject {
  const entries = Object.entries(config).flatMap(([key, value]) => {
    const written = fieldJson(key, value);
    return written === undefined ? [] : [[key, written] as const];
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function fieldJson(key: string, value: Json): Json | undefined {
  if (value === null) return undefined;
  if (maps.has(key) && isJsonObject(value)) return Object.keys(value).length === 0 ? undefined : value;
  if (isJsonObject(value)) return proxyConfigJson(value);
  if (Array.isArray(value))
    return value.length === 0 ? undefined : value.map((item: Json) => (isJsonObject(item) ? proxyConfigJson(item) : item));
  if (keptFields.has(key)) return wideNumbers.has(key) ? String(value) : value;
  if (value === '' || value === 0 || value === false || zeroNames[key] === value) return undefined;
  return durations.has(key) && typeof value === 'string' ? durationJson(value) : value;
}

/** Seconds with no, three, six or nine digits after the point. */
function durationJson(text: string): string {
  const [, seconds, fraction = ''] = /^(-?\d+)(?:\.(\d{1,9}))?s$/.exec(text) ?? [];
  if (seconds === undefined) return text;
  const nanos = fraction.padEnd(9, '0').replace(/(000){1,3}$/, '');
  return `${seconds}${nanos === '' ? '' : `.${nanos}`}s`;
}
