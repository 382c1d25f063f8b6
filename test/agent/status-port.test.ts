import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { waitUntilReady, type Agent, type AgentOptions } from '../../src/agent/index.ts';
import { isLocalAddress } from '../../src/agent/status-server.ts';
import { startFakeIstiod } from '../../src/index.ts';
import { stubAdmin } from '../envoy-unit/stub-admin.ts';
import { freePort } from '../free-port.ts';
import { agentIn, ask, podFor, podFolder, said } from './pod-folder.ts';

/** An agent that needs nobody: no CA, no Envoy of its own. */
function alone(options: AgentOptions = {}): Promise<Agent> {
  return agentIn(podFolder(), '127.0.0.1:1', { controlPlaneAuthPolicy: 'NONE', fileMountedCerts: true, ...options });
}

interface Application {
  readonly port: number;
  readonly requests: readonly Pick<IncomingMessage, 'url' | 'headers'>[];
}

/** An application that answers every path with these. */
async function application(code: number, body = '', headers: Readonly<Record<string, string>> = {}): Promise<Application> {
  const requests: Pick<IncomingMessage, 'url' | 'headers'>[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(code, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, requests };
}

const good = 'cluster_manager.cds.update_success: 1\nlistener_manager.lds.update_success: 1\n';
const live = `${good}server.state: 0\nlistener_manager.workers_started: 1\n`;

describe('15020 /healthz/ready', () => {
  it('is 503 while Envoy has no configuration, 200 once it is LIVE with one, and never has a body', async () => {
    let stats = '';
    const admin = await stubAdmin(() => stats);
    const agent = await alone({ envoy: { kind: 'attach', adminUrl: admin.url } });
    expect(await ask(agent, '/healthz/ready')).toEqual({ code: 503, body: '' });
    stats = `${good}server.state: 3\nlistener_manager.workers_started: 1\n`;
    expect(await ask(agent, '/healthz/ready')).toEqual({ code: 503, body: '' });
    stats = live;
    expect(await ask(agent, '/healthz/ready')).toEqual({ code: 200, body: '' });
    const counts = 'cds updates: 0 successful, 0 rejected; lds updates: 0 successful, 0 rejected';
    expect(said(agent).filter((text) => /ready|Readiness/.test(text))).toEqual([
      `warn default Envoy proxy is NOT ready: config not received from XDS server (is Istiod running?): ${counts}`,
      'warn default Envoy proxy is NOT ready: server is not live, current state is: INITIALIZING',
      expect.stringMatching(/^info default Readiness succeeded in \d+\.\d+s$/),
      'info default Envoy proxy is ready',
    ]);
  });

  it('stays 200 whatever becomes of Envoy', async () => {
    const admin = await stubAdmin((_, nth) => (nth === 1 ? live : { code: 500, body: '' }));
    const agent = await alone({ envoy: { kind: 'attach', adminUrl: admin.url } });
    expect((await ask(agent, '/healthz/ready')).code).toBe(200);
    expect((await ask(agent, '/healthz/ready')).code).toBe(200);
    expect(admin.requests).toHaveLength(1);
  });

  it('is 503 while Envoy does not answer', async () => {
    const agent = await alone({ envoy: { kind: 'attach', adminUrl: `http://127.0.0.1:${await freePort()}` } });
    expect((await ask(agent, '/healthz/ready')).code).toBe(503);
    expect(said(agent).at(-1)).toContain('Envoy proxy is NOT ready: failed to get readiness stats: ');
  });

  it('is 200 without an Envoy', async () => {
    expect((await ask(await alone(), '/healthz/ready')).code).toBe(200);
  });

  it('is what `wait` asks for', async () => {
    let stats = '';
    const admin = await stubAdmin(() => stats);
    const agent = await alone({ envoy: { kind: 'attach', adminUrl: admin.url } });
    const url = `http://127.0.0.1:${agent.ports.status}/healthz/ready`;
    await expect(waitUntilReady({ url, timeoutMs: 50, periodMs: 10 })).rejects.toThrow(/Last error: HTTP status code 503/);
    const reasons: string[] = [];
    const waiting = waitUntilReady({
      url,
      periodMs: 5,
      onNotReady: (why) => {
        reasons.push(why);
        stats = live;
      },
    });
    await waiting;
    expect(reasons).toEqual(['HTTP status code 503']);
  });
});

describe('commands to the agent', () => {
  it('are POSTs', async () => {
    const agent = await alone();
    expect((await ask(agent, '/quitquitquit')).code).toBe(405);
    expect((await ask(agent, '/drain')).code).toBe(405);
  });

  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    [undefined, false],
  ])('come from this machine only: %s', (address, local) => {
    expect(isLocalAddress(address)).toBe(local);
  });

  it('/quitquitquit ends it', async () => {
    const agent = await alone();
    expect(await ask(agent, '/quitquitquit', { method: 'POST' })).toEqual({ code: 200, body: 'OK' });
    expect(await agent.ended).toEqual({ by: 'request' });
  });

  it('/drain drains Envoy and keeps it; a later termination is then short', async () => {
    const admin = await stubAdmin(() => 'OK');
    const agent = await alone({ envoy: { kind: 'attach', adminUrl: admin.url } });
    expect((await ask(agent, '/drain', { method: 'POST' })).body).toBe('OK');
    await expect.poll(() => admin.requests).toEqual(['POST /drain_listeners?inboundonly&graceful&skip_exit']);
    await agent.terminate();
    expect(admin.requests).toHaveLength(1);
    expect(said(agent)).toContain('info default Agent already drained, exiting immediately');
  });

  it('a termination drains Envoy first, and waits', async () => {
    const admin = await stubAdmin(() => 'OK');
    const agent = await alone({ envoy: { kind: 'attach', adminUrl: admin.url }, role: 'router', terminationDrainMs: 20 });
    await agent.terminate();
    expect(admin.requests).toEqual(['POST /drain_listeners?graceful']);
    expect(said(agent).filter((text) => text.includes('raceful'))).toEqual([
      'info default Graceful termination period is 0.02s, starting...',
      'info default Graceful termination period complete, terminating remaining proxies.',
    ]);
  });
});

describe("the application's probes", () => {
  it('go to the application, whose answer comes back', async () => {
    const app = await application(418, 'teapot');
    const agent = await alone({
      appProbers: { '/app-health/web/livez': { httpGet: { path: 'live', port: app.port }, timeoutSeconds: 1 } },
    });
    expect(await ask(agent, '/app-health/web/livez', { headers: { 'x-probe': '1' } })).toEqual({ code: 418, body: 'teapot' });
    expect(app.requests[0]).toMatchObject({ url: '/live', headers: { host: `127.0.0.1:${app.port}`, 'x-probe': '1' } });
  });

  it('take a redirect for a yes', async () => {
    const app = await application(302, '', { location: 'http://elsewhere.example/' });
    const agent = await alone({ appProbers: { '/app-health/web/readyz': { httpGet: { port: app.port } } } });
    expect((await ask(agent, '/app-health/web/readyz')).code).toBe(200);
  });

  it('may be a connection only', async () => {
    const app = await application(200);
    const probers = {
      '/app-health/a/livez': { tcpSocket: { port: app.port } },
      '/app-health/b/livez': { tcpSocket: { port: await freePort() } },
    };
    const agent = await alone({ appProbers: probers });
    expect((await ask(agent, '/app-health/a/livez')).code).toBe(200);
    expect((await ask(agent, '/app-health/b/livez')).code).toBe(500);
  });

  it('may be gRPC', async () => {
    await using istiod = await startFakeIstiod({ tls: 'off' });
    const probers = {
      '/app-health/a/livez': { grpc: { port: istiod.port } },
      '/app-health/b/livez': { grpc: { port: istiod.port, service: 'nobody' } },
    };
    const agent = await alone({ appProbers: probers });
    expect((await ask(agent, '/app-health/a/livez')).code).toBe(200);
    expect((await ask(agent, '/app-health/b/livez')).code).toBe(500);
  });

  it('that nobody knows are 400', async () => {
    const agent = await alone();
    expect(await ask(agent, '/app-health/x/livez')).toEqual({
      code: 400,
      body: 'app prober config does not exists for /app-health/x/livez',
    });
  });
});

describe('merged metrics', () => {
  it("are the agent's, then the application's, with what is missing left out and counted", async () => {
    const app = await application(200, 'app_total 1', { 'content-type': 'text/plain' });
    const agent = await alone({
      envoy: { kind: 'attach', adminUrl: 'http://127.0.0.1:1' },
      scrape: [{ port: app.port, path: '/m' }, { port: await freePort() }],
    });
    const { code, body } = await ask(agent, '/stats/prometheus');
    expect(code).toBe(200);
    expect(body).toMatch(/istio_agent_scrapes_total 1\n[^]*\napp_total 1\n$/);
    expect(body).toContain('istio_agent_scrape_failures_total{type="envoy"} 1');
    expect(body).toContain('istio_agent_scrape_failures_total{type="application"} 1');
    expect(app.requests.map(({ url }) => url)).toEqual(['/m']);
  });

  it('in OpenMetrics end once', async () => {
    const type = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
    const apps = await Promise.all([
      application(200, 'a 1\n# EOF\n', { 'content-type': type }),
      application(200, 'b 2\n# EOF\n', { 'content-type': type }),
    ]);
    const agent = await alone({ scrape: apps.map(({ port }) => ({ port })) });
    const { body } = await ask(agent, '/metrics');
    expect(body.endsWith('a 1\nb 2\n# EOF\n')).toBe(true);
    expect(body.match(/# EOF/g)).toHaveLength(1);
  });
});

describe('an agent does not start', () => {
  it('without the root certificate', async () => {
    const pod = podFolder();
    await expect(agentIn(pod, '127.0.0.1:1')).rejects.toThrow(
      /^root CA file for XDS does not exist \.\/var\/run\/secrets\/istio\/root-cert\.pem\. In a pod/,
    );
  });

  it('on a port that is taken, and leaves nothing behind', async () => {
    const app = await application(200);
    await expect(alone({ ports: { status: app.port, admin: 0, ready: 0, prometheus: 0 } })).rejects.toThrow(/in use already/);
  });

  it('twice in one folder', async () => {
    await using istiod = await startFakeIstiod();
    const pod = await podFor(istiod);
    await agentIn(pod, `127.0.0.1:${istiod.port}`);
    await expect(agentIn(pod, `127.0.0.1:${istiod.port}`)).rejects.toThrow(
      /somebody listens on .*XDS already\. Is another agent running there\?/,
    );
  });

  it('without the socket of SPIRE, if that is what it is told to use', async () => {
    const wish = { workloadSocketFile: 'spire.sock' };
    await expect(alone(wish)).rejects.toThrow(/agent configured for non-default SDS socket path: .*spire\.sock but no socket found/);
  });

  it('in a folder whose sockets have too long a name', async () => {
    const options = { root: `/tmp/${'x'.repeat(120)}`, controlPlaneAuthPolicy: 'NONE', fileMountedCerts: true } as const;
    await expect(alone(options)).rejects.toThrow(/at most 107 bytes/);
  });
});
