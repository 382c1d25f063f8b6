/** The agent's counters and gauges, by the names that pilot-agent has for them (istio pkg/istio-agent/metrics, security/pkg/nodeagent/cache). */
const described = {
  istiod_connection_failures: ['counter', 'Connections to istiod that did not come about.'],
  istiod_connection_terminations: ['counter', 'Ends of xDS streams on the side of istiod.'],
  envoy_connection_terminations: ['counter', 'Ends of xDS streams on the side of Envoy.'],
  xds_proxy_requests: ['counter', 'Requests carried to istiod.'],
  xds_proxy_responses: ['counter', 'Responses that came from istiod.'],
  num_outgoing_requests: ['counter', 'Certificates asked for.'],
  num_failed_outgoing_requests: ['counter', 'Certificates asked for in vain.'],
  num_outgoing_retries: ['counter', 'Calls to the CA that were tried once more.'],
  num_file_secret_failures_total: ['counter', 'Certificate files that could not be used.'],
  scrapes_total: ['counter', 'Scrapes of the merged metrics.'],
  scrape_failures_total: ['counter', 'Scrapes in which a part could not be had.'],
  startup_duration_seconds: ['gauge', 'Time from the start to the first readiness.'],
  cert_expiry_seconds: ['gauge', 'Time until the certificate ends; negative afterwards.'],
} as const satisfies Record<string, readonly ['counter' | 'gauge', string]>;
export type MetricName = keyof typeof described;

/** What the agent counts, as Prometheus reads it. */
export class AgentMetrics {
  readonly #values = new Map<MetricName, Map<string, () => number>>();

  /** @param labels as they stand between the braces, e.g. `type="error"` */
  count(name: MetricName, labels = ''): void {
    const before = this.#values.get(name)?.get(labels)?.() ?? 0;
    this.gauge(name, () => before + 1, labels);
  }

  /** A value that is asked for at each scrape. */
  gauge(name: MetricName, value: () => number, labels = ''): void {
    const values = this.#values.get(name) ?? new Map<string, () => number>();
    this.#values.set(name, values.set(labels, value));
  }

  /** Text exposition format 0.0.4; each name begins with `istio_agent_`. */
  text(): string {
    return [...this.#values].map(([name, values]) => familyText(name, values)).join('');
  }
}

function familyText(name: MetricName, values: ReadonlyMap<string, () => number>): string {
  const [type, help] = described[name];
  const full = `istio_agent_${name}`;
  const lines = [...values].map(([labels, value]) => `${full}${labels === '' ? '' : `{${labels}}`} ${value()}\n`);
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines.join('')}`;
}
