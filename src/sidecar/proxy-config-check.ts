import { isIP } from 'node:net';
import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import type { Problem } from '../errors.ts';
import { splitHostPort } from './go-text.ts';
import type { Origin } from './origin.ts';

/**
 * What makes pilot-agent refuse a ProxyConfig, and so exit before it writes a bootstrap.
 *
 * @see istio pkg/config/validation/agent/validation.go:ValidateMeshConfigProxyConfig
 */
export function proxyConfigProblems(config: JsonObject, originOf: (field: string) => readonly Origin[]): Problem[] {
  const problems: Problem[] = [];
  const refuse = (field: string, what: string, remedy: string): void => {
    const at = originOf(field).find((origin) => origin.at)?.at;
    problems.push({ ...(at ? { at } : {}), what: `${field} ${what}: pilot-agent exits`, remedy });
  };
  for (const field of ['configPath', 'binaryPath', 'discoveryAddress']) {
    if (!config[field]) refuse(field, 'is empty', 'Give it a value, or leave it out for the default');
  }
  for (const [field, address] of addresses(config)) {
    const what = addressProblem(address);
    if (what !== undefined) refuse(field, what, 'Write it as host:port');
  }
  for (const field of ['proxyAdminPort', 'statusPort']) {
    const port = Number(config[field] ?? 0);
    if (!(port >= 1 && port <= 65_535)) refuse(field, `is ${port}, no port from 1 to 65535`, 'Give a port');
  }
  if (!/^\d+(\.0+)?s$/.test(String(config['drainDuration'] ?? ''))) {
    refuse('drainDuration', `is ${JSON.stringify(config['drainDuration'] ?? '')}, not whole seconds`, 'Write it as 45s');
  }
  const lightstep = isJsonObject(config['tracing']) ? config['tracing']['lightstep'] : undefined;
  if (isJsonObject(lightstep) && !lightstep['accessToken'])
    refuse('tracing', 'has a lightstep without accessToken', 'Give its access token');
  return problems;
}

function* addresses(config: JsonObject): Iterable<readonly [field: string, address: string]> {
  const inside = (value: Json | undefined, ...keys: readonly string[]): string | undefined => {
    let found: Json | undefined = value;
    for (const key of keys) found = isJsonObject(found) ? found[key] : undefined;
    return typeof found === 'string' && found !== '' ? found.replace('$(HOST_IP)', '127.0.0.1') : undefined;
  };
  const all: readonly (readonly [string, string | undefined])[] = [
    ['discoveryAddress', inside(config['discoveryAddress'])],
    ...['zipkin', 'lightstep', 'datadog'].map((name) => ['tracing', inside(config['tracing'], name, 'address')] as const),
    ['statsdUdpAddress', inside(config['statsdUdpAddress'])],
    ['envoyMetricsService', inside(config['envoyMetricsService'], 'address')],
    ['envoyAccessLogService', inside(config['envoyAccessLogService'], 'address')],
  ];
  for (const [field, address] of all) if (address !== undefined) yield [field, address];
}

function addressProblem(address: string): string | undefined {
  const parts = splitHostPort(address);
  if (!parts) return `is "${address}", no host:port`;
  const port = /^\d+$/.test(parts.port) ? Number(parts.port) : Number.NaN;
  if (!(port >= 1 && port <= 65_535)) return `is "${address}", whose port is none from 1 to 65535`;
  const name = /^([a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?\.)*[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?\.?$/;
  return isIP(parts.host) !== 0 || name.test(parts.host) ? undefined : `is "${address}", whose host is neither a name nor an address`;
}
