import type { TimelineEvent } from '../events.ts';
import { resourceType, TypeUrl } from '../protocol/resource-type.ts';
import { grpcCodeWord } from '../protocol/go-code.ts';
import { Counter, Histogram } from './metric.ts';
import type { MetricFamily } from './prometheus-text.ts';

/** istiod's bounds of times, in seconds (istio pilot/pkg/xds/monitoring.go). */
const times = [0.1, 0.5, 1, 3, 5, 10, 20, 30];
const sizes = [1, 10_000, 1_000_000, 4_000_000, 10_000_000, 40_000_000];

/** How many pushes are under way at most, of which it is known when they began. */
const rememberedPushes = 100;

/** istiod's word for a type in metrics (istio pkg/model/xds.go:GetMetricType). */
function metricType(typeUrl: string): string {
  if (typeUrl === TypeUrl.address || typeUrl === TypeUrl.workload) return 'wds';
  const { short, typeUrl: known, key } = resourceType(typeUrl);
  return key === known ? typeUrl : short.toLowerCase();
}

/** Counts what happens, under istiod's names (istio pilot/pkg/xds/monitoring.go, pkg/xds/monitoring.go, security/pkg/server/ca). */
export class Metrics {
  private readonly pushes = new Counter('pilot_xds_pushes', 'Responses sent, by type.');
  private readonly triggers = new Counter('pilot_push_triggers', 'Pushes that were triggered, by reason.');
  private readonly updates = new Counter('pilot_inbound_updates', 'Updates of what is served, by kind.');
  private readonly convergence = new Histogram(
    'pilot_proxy_convergence_time',
    'Seconds from a change of what is served until it is sent to a proxy.',
    times,
  );
  private readonly configSize = new Histogram('pilot_xds_config_size_bytes', 'Sizes of responses, by type URL.', sizes);
  private readonly rejects = new Counter('pilot_total_xds_rejects', 'Responses that a proxy rejected, by type.');
  private readonly rejectsOf = new Map<string, Counter>(
    (['cluster', 'endpoint', 'listener', 'route'] as const).map((kind) => {
      const typeUrl = TypeUrl[kind];
      const word = metricType(typeUrl);
      return [
        typeUrl,
        new Counter(`pilot_xds_${word}_reject`, `${word.toUpperCase()} responses rejected, by proxy and code.`, 'gauge'),
      ] as const;
    }),
  );
  private readonly expired = new Counter('pilot_xds_expired_nonce', 'Requests with a nonce that is no longer the last one.');
  private readonly errors = new Counter('pilot_total_xds_internal_errors', 'Failures of the server itself.');
  private readonly csrs = new Counter('citadel_server_csr_count', 'Certificate requests received.');
  private readonly signed = new Counter('citadel_server_success_cert_issuance_count', 'Certificates issued.');
  private readonly unsigned = new Counter('citadel_server_csr_sign_err_count', 'Certificate requests that could not be signed.');
  private readonly strangers = new Counter('citadel_server_authentication_failure_count', 'Certificate requests of callers unknown.');
  private readonly beginnings = new Map<string, { readonly atMs: number; readonly told: Set<number> }>();
  private readonly sizeOf: (seq: number) => number | undefined;
  /** Sizes are known only after the event. */
  private unsized: { readonly seq: number; readonly typeUrl: string }[] = [];
  private largestRequest = 0;

  /** @param sizeOf of the message that an event tells of, in bytes, known once the event was told */
  constructor(sizeOf: (seq: number) => number | undefined) {
    this.sizeOf = sizeOf;
  }

  /** All that was counted so far. */
  get families(): readonly MetricFamily[] {
    this.measure();
    const largest = new Counter('pilot_xds_recv_max', 'Bytes of the largest request so far.', 'gauge');
    if (this.largestRequest > 0) largest.add({}, this.largestRequest);
    return [
      this.pushes,
      this.triggers,
      this.updates,
      this.convergence,
      this.configSize,
      this.rejects,
      ...this.rejectsOf.values(),
      this.expired,
      this.errors,
      largest,
      this.csrs,
      this.signed,
      this.unsigned,
      this.strangers,
    ];
  }

  see(event: TimelineEvent): void {
    switch (event.event) {
      case 'response.sent':
        return this.sent(event);
      case 'request.received':
        return this.received(event);
      case 'response.nacked':
        return this.nacked(event);
      case 'snapshot.published':
        return this.published(event);
      case 'server.failed':
        return this.errors.add();
      case 'certificate.signed':
        this.csrs.add();
        return this.signed.add();
      case 'csr.rejected':
        this.csrs.add();
        return this.unsigned.add({ error: 'CSR_ERROR' });
      case 'token.rejected':
        if (event.service !== 'ca') return;
        this.csrs.add();
        return this.strangers.add();
      default:
    }
  }

  private sent({ seq, typeUrl, cause, version, stream, atMs }: Extract<TimelineEvent, { event: 'response.sent' }>): void {
    this.measure();
    this.unsized.push({ seq, typeUrl });
    this.pushes.add({ type: metricType(typeUrl) });
    if (cause === 'reply') return this.triggers.add({ type: 'proxyrequest' });
    const push = cause === 'push' ? this.beginnings.get(version) : undefined;
    if (!push || push.told.has(stream)) return;
    push.told.add(stream);
    this.convergence.record((atMs - push.atMs) / 1000);
  }

  private received({ seq, typeUrl, outcome }: Extract<TimelineEvent, { event: 'request.received' }>): void {
    this.measure();
    this.unsized.push({ seq, typeUrl: '' });
    if (outcome === 'stale') this.expired.add({ type: metricType(typeUrl) });
  }

  private nacked({ typeUrl, node = '', code }: Extract<TimelineEvent, { event: 'response.nacked' }>): void {
    this.rejects.add({ type: metricType(typeUrl) });
    const parts = node.split('~');
    this.rejectsOf.get(typeUrl)?.add({ err: grpcCodeWord(code), node: parts.length === 4 ? (parts[2] ?? node) : node });
  }

  private published({ version, types, atMs }: Extract<TimelineEvent, { event: 'snapshot.published' }>): void {
    const onlyEndpoints = types.length > 0 && types.every((type) => type === 'EDS');
    // Nothing changed: everything is sent anew, because somebody asked for it.
    this.triggers.add({ type: types.length === 0 ? 'debug' : onlyEndpoints ? 'endpoint' : 'config' });
    if (types.length > 0) this.updates.add({ type: onlyEndpoints ? 'eds' : 'config' });
    this.beginnings.set(version, { atMs, told: new Set() });
    if (this.beginnings.size > rememberedPushes) this.beginnings.delete(this.beginnings.keys().next().value as string);
  }

  private measure(): void {
    for (const { seq, typeUrl } of this.unsized.splice(0)) {
      const size = this.sizeOf(seq);
      if (size === undefined) continue;
      if (typeUrl === '') this.largestRequest = Math.max(this.largestRequest, size);
      else this.configSize.record(size, { type: typeUrl });
    }
  }
}
