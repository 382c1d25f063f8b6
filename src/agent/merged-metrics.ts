import { FakeIstiodError } from '../errors.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentMetrics } from './agent-metrics.ts';

/** Where the application has its metrics. */
export interface ScrapeTarget {
  readonly port: number;
  /** Default `/metrics`. */
  readonly path?: string;
}

export interface MergedMetricsOptions {
  readonly own: AgentMetrics;
  /** Envoy's metrics for a query; rejects if they cannot be had. Absent: there is no Envoy. */
  readonly envoy: ((query: string) => Promise<string>) | undefined;
  readonly targets: readonly ScrapeTarget[];
  readonly log: AgentLog;
}

/** Text with its type. */
export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

const text004 = 'text/plain; version=0.0.4; charset=utf-8';
const scrapeTimeoutMs = 10_000;
const maxBytes = 10 * 1024 * 1024;

/**
 * The agent's own metrics, then Envoy's, then the application's, one after the other (istio pilot/cmd/pilot-agent/status/server.go). What
 * cannot be had is left out, logged and counted: the rest is worth having.
 *
 * @param query of the request; goes on to Envoy
 * @param accept header of the request; goes on to the application
 */
export async function mergedMetrics(options: MergedMetricsOptions, query: string, accept: string | undefined): Promise<MetricsText> {
  const { own, envoy, targets } = options;
  own.count('scrapes_total');
  const [ofEnvoy, ...ofApps] = await Promise.all([
    envoy ? attempt(options, 'envoy', async () => ({ contentType: '', body: await envoy(query) })) : undefined,
    ...targets.map((target) => attempt(options, 'application', () => scrape(target, accept))),
  ]);
  const apps = ofApps.filter((each) => each !== undefined);
  const open = apps.length > 0 && apps.every(({ contentType }) => contentType.includes('application/openmetrics-text'));
  const bodies = [ofEnvoy?.body ?? '', ...apps.map(({ body }) => withoutEnd(body))]
    .filter(Boolean)
    .map((body) => (body.endsWith('\n') ? body : `${body}\n`));
  return {
    contentType: open ? (apps[0]?.contentType ?? text004) : text004,
    body: `${own.text()}${bodies.join('')}${open ? '# EOF\n' : ''}`,
  };
}

async function attempt(
  { own, log }: MergedMetricsOptions,
  type: 'envoy' | 'application',
  get: () => Promise<MetricsText>,
): Promise<MetricsText | undefined> {
  try {
    return await get();
  } catch (error) {
    log('error', 'default', `failed scraping ${type} metrics: ${error instanceof Error ? error.message : String(error)}`);
    own.count('scrape_failures_total', `type="${type}"`);
    return undefined;
  }
}

async function scrape({ port, path = '/metrics' }: ScrapeTarget, accept: string | undefined): Promise<MetricsText> {
  const url = `http://localhost:${port}${path.startsWith('/') ? path : `/${path}`}`;
  const response = await fetch(url, { headers: accept === undefined ? {} : { accept }, signal: AbortSignal.timeout(scrapeTimeoutMs) });
  if (!response.ok) throw new Error(`error scraping ${url}, status code: ${response.status}`);
  const body = await response.text();
  if (body.length > maxBytes) throw new Error(`the answer of ${url} exceeds ${maxBytes} bytes`);
  return { contentType: response.headers.get('content-type') ?? '', body };
}

/** OpenMetrics ends with a line of its own, which must not stand in the middle. */
function withoutEnd(body: string): string {
  return body.replace(/# EOF\s*$/, '');
}

/** Reads ISTIO_PROMETHEUS_ANNOTATIONS: `{"scrape":"true","path":"/metrics","port":"8080"}`, or `targets`. Error `usage.invalid`. */
export function readScrapeTargets(text: string, statusPort: number): readonly ScrapeTarget[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(`is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null) throw wrong('is no JSON object');
  const { scrape: wanted, path, port, targets } = value as Readonly<Record<string, unknown>>;
  if (wanted === 'false') return [];
  const list: readonly unknown[] = Array.isArray(targets) && targets.length > 0 ? targets : [{ port: port || '80', path }];
  return list.map((each) => readTarget(each as Readonly<Record<string, unknown>>, statusPort));
}

function readTarget({ port, path }: Readonly<Record<string, unknown>>, statusPort: number): ScrapeTarget {
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) throw wrong(`has the port ${JSON.stringify(port)}, which is none`);
  if (number === statusPort) throw wrong(`names port ${number}, which is the agent's own: its metrics would hold themselves`);
  return { port: number, ...(typeof path === 'string' && path !== '' ? { path } : {}) };
}

function wrong(what: string): FakeIstiodError {
  return new FakeIstiodError('usage.invalid', `ISTIO_PROMETHEUS_ANNOTATIONS ${what}`, {
    remedy: 'It holds what the annotations prometheus.io/* say, e.g. {"scrape":"true","path":"/metrics","port":"8080"}',
  });
}

/** Envoy's metrics from its static listener: there is none before Envoy is LIVE. */
export async function envoyMetrics(host: string, port: number, query: string): Promise<string> {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/stats/prometheus${query === '' ? '' : `?${query}`}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Error(`${url}: ${cause}`);
  });
  if (!response.ok) throw new Error(`error scraping ${url}, status code: ${response.status}`);
  return response.text();
}
