import { describe, expect, it } from 'vitest';
import { agentLogText } from '../../src/agent/agent-log.ts';
import { AgentMetrics } from '../../src/agent/agent-metrics.ts';
import { readAppProbers } from '../../src/agent/app-probers.ts';
import { readDownwardFile } from '../../src/agent/downward-api.ts';
import { HealthState } from '../../src/agent/health-checker.ts';
import { serverNameOf } from '../../src/agent/istiod-connection.ts';
import { readScrapeTargets } from '../../src/agent/merged-metrics.ts';
import { podProxyConfig } from '../../src/agent/pod-proxy-config.ts';

describe('a file of the downward API', () => {
  it('holds quoted values, as Go quotes', () => {
    const text = 'app="web"\nodd="a\\"b\\n\\u003c\\x41\\a"\nurl="x=y"\nempty=""\n';
    expect(readDownwardFile(text)).toEqual({ app: 'web', odd: 'a"b\n<A\u0007', url: 'x=y', empty: '' });
  });

  it('may have lines of another form, which do not count', () => {
    expect(readDownwardFile('no value\n=x\nplain=x\na="b"')).toEqual({ a: 'b' });
  });
});

it('a line of the log has tabs, its scope and its labels', () => {
  const line = {
    at: new Date('2026-03-01T12:00:00.123Z'),
    level: 'info',
    scope: 'xdsproxy',
    text: 'connected',
    labels: { id: 1 },
  } as const;
  expect(agentLogText(line)).toBe('2026-03-01T12:00:00.123000Z\tinfo\txdsproxy\tconnected\tid=1');
  expect(agentLogText({ ...line, scope: 'default', labels: {} })).toBe('2026-03-01T12:00:00.123000Z\tinfo\tconnected');
});

it('metrics are families with a type each, counters and gauges', () => {
  const metrics = new AgentMetrics();
  metrics.count('scrapes_total');
  metrics.count('scrapes_total');
  metrics.count('scrape_failures_total', 'type="envoy"');
  metrics.gauge('cert_expiry_seconds', () => 7);
  const text = metrics.text();
  expect(text).toContain('# TYPE istio_agent_scrapes_total counter\nistio_agent_scrapes_total 2\n');
  expect(text).toContain('istio_agent_scrape_failures_total{type="envoy"} 1\n');
  expect(text).toContain('# TYPE istio_agent_cert_expiry_seconds gauge\nistio_agent_cert_expiry_seconds 7\n');
});

describe('the name that istiod has to have', () => {
  it.each([
    ['istiod.istio-system.svc:15012', 'istiod.istio-system.svc'],
    ['localhost:15012', 'istiod.istio-system.svc'],
    ['127.0.0.1:15012', '127.0.0.1'],
    ['[::1]:15012', '::1'],
  ])('is, for %s, %s', (address, name) => {
    expect(serverNameOf(address)).toBe(name);
  });
});

describe('the health of a workload', () => {
  it('is told when it changes, the first time too, and after so many answers in a row', () => {
    const state = new HealthState({ successThreshold: 2, failureThreshold: 3 });
    const answers = [undefined, undefined, undefined, 'a', 'b', undefined, 'c', 'd', 'e', 'f', undefined, undefined];
    const told = answers.map((why) => state.next(why));
    expect(told).toEqual([
      ...[undefined, { healthy: true }, undefined, undefined, undefined, undefined, undefined, undefined],
      ...[{ healthy: false, why: 'e' }, undefined, undefined, { healthy: true }],
    ]);
  });

  it('is told at the first answer where nothing else is said', () => {
    expect(new HealthState({}).next('down')).toEqual({ healthy: false, why: 'down' });
  });
});

describe('what the injector puts into the environment', () => {
  it.each([
    ['{', /ISTIO_KUBE_APP_PROBERS is no JSON/],
    ['[]', /is no JSON object/],
    ['{"/x":{"httpGet":{"port":1}}}', /the path "\/x", which is not of the form/],
    ['{"/app-health/a/livez":{}}', /has 0 kinds of probe under \/app-health\/a\/livez/],
    ['{"/app-health/a/livez":{"tcpSocket":{"port":"http"}}}', /a port under .* that is no number/],
  ])('as probers %s is refused', (text, message) => {
    expect(() => readAppProbers(text)).toThrow(message);
  });

  it('says where the application has its metrics', () => {
    expect(readScrapeTargets('{"scrape":"true","path":"/m","port":"8080"}', 15_020)).toEqual([{ port: 8080, path: '/m' }]);
    expect(readScrapeTargets('{"scrape":"true"}', 15_020)).toEqual([{ port: 80 }]);
    expect(readScrapeTargets('{"scrape":"false","port":"x"}', 15_020)).toEqual([]);
    expect(readScrapeTargets('{"scrape":"true","targets":[{"port":"1"},{"port":"2","path":"/b"}]}', 15_020)).toEqual([
      { port: 1 },
      { port: 2, path: '/b' },
    ]);
    expect(() => readScrapeTargets('{"port":"15020"}', 15_020)).toThrow(/names port 15020, which is the agent's own/);
    expect(() => readScrapeTargets('{"port":"http"}', 15_020)).toThrow(/the port "http", which is none/);
  });
});

describe("a pod's ProxyConfig", () => {
  const merged = (env: string | undefined, annotations: Readonly<Record<string, string>> = {}): Readonly<Record<string, unknown>> =>
    podProxyConfig({ meshConfigFile: undefined, env, annotations, concurrency: undefined }).value;

  it('has defaults, over them PROXY_CONFIG, over that the annotation', () => {
    expect(merged(undefined)).toMatchObject({ discoveryAddress: 'istiod.istio-system.svc:15012', statusPort: 15_020 });
    expect(merged('{"discoveryAddress":"a:1","statusPort":1}', { 'proxy.istio.io/config': 'discoveryAddress: b:2' })).toMatchObject({
      discoveryAddress: 'b:2',
      statusPort: 1,
    });
    expect(merged('{}')).toEqual(merged(undefined));
  });

  it('that is no YAML is told with its place', () => {
    expect(() => merged('{"discoveryAddress": "a:1"')).toThrow(/PROXY_CONFIG:1/);
    expect(() => merged(undefined, { 'proxy.istio.io/config': 'a: [' })).toThrow(/annotation proxy\.istio\.io\/config:1/);
  });
});
