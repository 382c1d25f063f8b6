import { describe, expect, it } from 'vitest';
import { Metrics } from '../../src/debug/metrics.ts';
import { Counter, Gauge, Histogram } from '../../src/debug/metric.ts';
import { prometheusText } from '../../src/debug/prometheus-text.ts';
import type { Event } from '../../src/events.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';

const nodeId = 'sidecar~10.0.0.1~shop.demo~demo.svc.cluster.local';
const facts = { stream: 1, variant: 'sotw', node: nodeId, typeUrl: TypeUrl.cluster, type: 'CDS', version: 'v2', nonce: 'n' } as const;

/** What metrics say after these events, a line each. */
function after(events: readonly (readonly [atMs: number, event: Event])[], sizes: readonly number[] = []): readonly string[] {
  const metrics = new Metrics((seq) => sizes[seq - 1]);
  events.forEach(([atMs, event], i) => metrics.see({ ...event, seq: i + 1, atMs }));
  return prometheusText(metrics.families)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const sent = (cause: 'push' | 'reply', stream = 1): Event => ({ event: 'response.sent', ...facts, stream, names: [], removed: [], cause });
const published = (types: readonly string[]): Event => ({
  event: 'snapshot.published',
  version: 'v2',
  sequence: 2,
  types,
  names: [],
  removed: [],
});

describe('Metrics', () => {
  it('are none before anything happens', () => {
    expect(after([])).toEqual([]);
  });

  it('tell how long a change takes to reach each proxy, once a push', () => {
    const lines = after([
      [1000, published(['CDS', 'LDS'])],
      [1050, sent('push')],
      [1900, sent('push')],
      [1600, sent('push', 2)],
    ]);
    expect(lines).toContain('pilot_proxy_convergence_time_bucket{le="0.1"} 1');
    expect(lines).toContain('pilot_proxy_convergence_time_bucket{le="1"} 2');
    expect(lines).toContain('pilot_proxy_convergence_time_bucket{le="+Inf"} 2');
    expect(lines).toContain('pilot_proxy_convergence_time_sum 0.65');
    expect(lines).toContain('pilot_proxy_convergence_time_count 2');
    expect(lines).toContain('pilot_xds_pushes{type="cds"} 3');
  });

  it.each([
    [['CDS'], 'config', ['pilot_inbound_updates{type="config"} 1']],
    [['EDS'], 'endpoint', ['pilot_inbound_updates{type="eds"} 1']],
    [[], 'debug', []],
  ])('tell why there is a push of %j: %s', (types, reason, updates) => {
    const lines = after([[0, published(types)]]);
    expect(lines).toEqual([`pilot_push_triggers{type="${reason}"} 1`, ...updates]);
  });

  it('tell rejections by type, by proxy and code', () => {
    const nacked = (typeUrl: string): Event => ({ event: 'response.nacked', ...facts, typeUrl, code: 13, text: 'no' });
    expect(
      after([
        [0, nacked(TypeUrl.cluster)],
        [0, nacked(TypeUrl.cluster)],
        [0, nacked(TypeUrl.secret)],
      ]),
    ).toEqual([
      'pilot_total_xds_rejects{type="cds"} 2',
      'pilot_total_xds_rejects{type="sds"} 1',
      'pilot_xds_cds_reject{err="Internal",node="shop.demo"} 2',
    ]);
  });

  it('tell requests with a nonce of before, and the largest request', () => {
    const received = (outcome: 'stale' | 'ack'): Event => ({
      event: 'request.received',
      ...facts,
      outcome,
      names: [],
      unsubscribed: [],
      held: [],
    });
    expect(
      after(
        [
          [0, received('ack')],
          [0, received('stale')],
        ],
        [120, 80],
      ),
    ).toEqual(['pilot_xds_expired_nonce{type="cds"} 1', 'pilot_xds_recv_max 120']);
  });

  it('tell how large responses are, by type URL', () => {
    const lines = after([[0, sent('reply')]], [20_000]);
    expect(lines).toContain(`pilot_xds_config_size_bytes_bucket{type="${TypeUrl.cluster}",le="10000"} 0`);
    expect(lines).toContain(`pilot_xds_config_size_bytes_bucket{type="${TypeUrl.cluster}",le="1000000"} 1`);
    expect(lines).toContain(`pilot_xds_config_size_bytes_sum{type="${TypeUrl.cluster}"} 20000`);
  });

  it("count the CA's work", () => {
    const rejected = (service: 'ca' | 'xds'): Event => ({ event: 'token.rejected', service, peer: 'p', reason: 'r', wanted: [] });
    expect(
      after([
        [0, rejected('ca')],
        [0, rejected('xds')],
      ]),
    ).toEqual(['citadel_server_csr_count 1', 'citadel_server_authentication_failure_count 1']);
  });
});

describe("Prometheus' text", () => {
  it('escapes what breaks lines and quotes', () => {
    const counter = new Counter('c', 'two\nlines \\ "q"');
    counter.add({ node: 'a"b\\c\nd' });
    expect(prometheusText([counter])).toBe('# HELP c two\\nlines \\\\ "q"\n# TYPE c counter\nc{node="a\\"b\\\\c\\nd"} 1\n');
  });

  it('leaves out what has no sample, and looks anew each time', () => {
    const values: number[] = [];
    const gauge = new Gauge('g', 'now', () => values[0]);
    expect(prometheusText([gauge, new Histogram('h', 'none', [1])])).toBe('');
    values.push(1.5);
    expect(prometheusText([gauge])).toBe('# HELP g now\n# TYPE g gauge\ng 1.5\n');
  });
});
