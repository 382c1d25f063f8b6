import { describe, expect, it } from 'vitest';
import type { FakeIstiodError } from '../../src/errors.ts';
import { readInput } from '../../src/diagnose/read-input.ts';
import { causesOf, diagnosed, statsText } from './given.ts';

const stuck = {
  'cluster.xds-grpc.upstream_cx_rx_bytes_total': 50,
  'cluster.xds-grpc.upstream_cx_total': 1,
  'cluster_manager.cds.update_attempt': 1,
  'cluster_manager.cds.update_failure': 0,
  'cluster_manager.cds.update_rejected': 0,
  'cluster_manager.cds.update_success': 0,
  'control_plane.connected_state': 1,
  'listener_manager.lds.update_attempt': 0,
  'listener_manager.lds.update_rejected': 0,
  'listener_manager.lds.update_success': 0,
  'listener_manager.workers_started': 0,
};
const prometheus = Object.entries(stuck)
  .map(([name, value]) => {
    const own = name.replace(/^cluster\.xds-grpc\./, 'cluster.').replace(/[^a-z0-9]/gi, '_');
    return `# TYPE envoy_${own} counter\nenvoy_${own}{${name.startsWith('cluster.xds') ? 'envoy_cluster_name="xds-grpc"' : ''}} ${value}\n`;
  })
  .join('');

describe('stats', () => {
  const forms = {
    text: statsText(stuck),
    JSON: JSON.stringify({ stats: Object.entries(stuck).map(([name, value]) => ({ name, value })) }),
    Prometheus: prometheus,
  };

  it.each(Object.entries(forms))('as %s tell the same', (_, text) => {
    const result = diagnosed({ stats: text });
    expect([result.class, result.state, ...causesOf(result)]).toEqual(['not-ready', 'PRE_INITIALIZING', 'cds-withheld']);
  });

  it('that are missing are not zero: without the counter of successes nothing is said of CDS', () => {
    const { 'cluster_manager.cds.update_success': _, ...rest } = stuck;
    const result = diagnosed({ stats: statsText(rest), ready: 'PRE_INITIALIZING' });
    expect(causesOf(result)).toEqual([]);
    expect(result.agent).toBeUndefined();
    expect(result.missing.join()).toContain('a missing stat is not a zero');
  });

  it('without connected_state, as pilot-agent’s bootstrap leaves them, do not tell a proxy from one that is lost', () => {
    const { 'control_plane.connected_state': _, ...rest } = stuck;
    expect(causesOf(diagnosed({ stats: statsText({ ...rest, 'cluster_manager.cds.update_success': 1 }), ready: 'LIVE' }))).not.toContain(
      'istiod-lost',
    );
  });

  it('whose gauge server.state is still 0 do not make a proxy LIVE', () => {
    expect(
      diagnosed({
        stats: statsText({ 'server.state': 0, 'listener_manager.workers_started': 0, 'listener_manager.lds.update_attempt': 1 }),
      }).state,
    ).toBe('INITIALIZING');
    expect(diagnosed({ stats: statsText({ 'server.state': 0 }) }).class).toBe('unknown');
  });
});

const cluster = { name: 'hello', type: 'EDS' };
const dump = {
  configs: [
    { '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump', dynamic_warming_clusters: [{ version_info: '1', cluster }] },
  ],
};
const camel = {
  configs: [
    { '@type': 'type.googleapis.com/envoy.admin.v2alpha.ClustersConfigDump', dynamicWarmingClusters: [{ versionInfo: '1', cluster }] },
  ],
};

describe('a config_dump', () => {
  const forms = {
    'of v3': JSON.stringify(dump),
    'of v2, in lowerCamel': JSON.stringify(camel),
    'as egctl prints it': JSON.stringify({ 'envoy-gateway-system': { 'envoy-1': dump } }),
    'as YAML': `configs:\n- "@type": type.googleapis.com/envoy.admin.v3.ClustersConfigDump\n  dynamic_warming_clusters:\n  - version_info: "1"\n    cluster: { name: hello, type: EDS }\n`,
    'of sections in a bare list': JSON.stringify(dump.configs),
  };

  it.each(Object.entries(forms))('%s names the clusters that warm', (_, text) => {
    const result = diagnosed({ 'config_dump.json': text, ready: 'PRE_INITIALIZING' });
    expect(result.causes.map(({ id, detail }) => [id, detail])).toEqual([['eds-withheld', 'hello waits for endpoints']]);
  });
});

describe('logs', () => {
  it('of Envoy, with random blanks and markers, are normalised before they are compared', () => {
    const line =
      "[2026-11-30 08:12:06.744][17][critical][main] [source/server/server.cc:449] error `Unknown  gRPC client   cluster 'x'` initializing config 'goo.gle/debugonly    \n  /etc/envoy.json'\n";
    expect(diagnosed({ 'envoy.log': line }).causes[0]?.id).toBe('ads-cluster-unknown');
  });

  it('say nothing of why a proxy was not ready once it was told to end', () => {
    const line = (text: string): string => `[2026-11-30 08:12:06.744][17][warning][config] [x.cc:1] ${text}\n`;
    const text = line('caught ENVOY_SIGTERM') + line('DeltaAggregatedResources gRPC config stream to xds-grpc closed: 16, x');
    expect(causesOf(diagnosed({ 'envoy.log': text, ready: 'PRE_INITIALIZING' }))).toEqual([]);
  });

  it('as JSON, and with the prefixes of kubectl, are read', () => {
    const json =
      '{"level":"error","time":"2026-11-30T08:12:06Z","scope":"security","msg":"Failed to authenticate client: service account token has expired"}\n';
    const prefixed =
      '[pod/web-1/istio-proxy] 2026-11-30T08:12:06.744881Z\tinfo\txdsproxy\tconnected\n[pod/web-1/istio-proxy] 2026-11-30T08:12:07.744881Z\twarn\tservice account token has expired\n';
    for (const text of [json, prefixed]) expect(diagnosed({ log: text }).causes[0]?.id).toBe('token-expired');
  });
});

describe('a bootstrap', () => {
  const bootstrap = (cluster: string): string =>
    `node: { id: sidecar~10.0.0.7~web.default~default.svc.cluster.local, cluster: web }\ndynamic_resources:\n  ads_config: { api_type: DELTA_GRPC, grpc_services: [{ envoy_grpc: { cluster_name: ${cluster} } }] }\n  cds_config: { ads: {}, initial_fetch_timeout: 0s }\nstatic_resources:\n  clusters:\n    - { name: xds-grpc, type: STRICT_DNS, http2_protocol_options: {}, load_assignment: { cluster_name: xds-grpc } }\n`;

  it('whose ADS cluster is not there makes an Envoy exit, with line and column', () => {
    const result = diagnosed({ 'boot.yaml': bootstrap('istiod-xds') });
    expect([result.class, ...causesOf(result)]).toEqual(['crash-loop', 'ads-cluster-unknown']);
    expect(result.causes[0]?.evidence[0]?.at).toMatchObject({ file: 'boot.yaml', line: 3 });
  });

  it('that is as it should be tells nothing', () => {
    expect(diagnosed({ 'boot.yaml': bootstrap('xds-grpc') })).toMatchObject({ class: 'unknown', causes: [] });
  });
});

describe('what is no input', () => {
  it.each([
    ['text of something else', 'once upon a time', 'input.unrecognised'],
    ['broken YAML of a manifest', 'kind: Pod\nspec: {\n', 'input.syntax'],
    ['broken JSON', '{"configs": [', 'input.syntax'],
  ])('%s is one error', (_, text, code) => {
    expect(() => readInput({ name: 'x', text })).toThrow(expect.objectContaining({ code }) as FakeIstiodError);
  });
});
