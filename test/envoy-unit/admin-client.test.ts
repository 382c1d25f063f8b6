import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adminClient } from '../../src/envoy/admin-client.ts';
import { FakeIstiodError } from '../../src/errors.ts';
import { stubAdmin } from './stub-admin.ts';

describe('the admin client', () => {
  it('tells readiness with its code, whatever that is', async () => {
    const { url } = await stubAdmin(() => ({ code: 503, body: 'PRE_INITIALIZING\n' }));
    expect(await adminClient(url).ready()).toEqual({ code: 503, body: 'PRE_INITIALIZING' });
  });

  it('reads server_info into state, version and node id', async () => {
    const body = JSON.stringify({
      version: '9e5580933739/1.40.0/Clean/RELEASE/BoringSSL',
      state: 'INITIALIZING',
      node: { id: 'sidecar~x' },
    });
    const { url } = await stubAdmin(() => body);
    expect(await adminClient(url).serverInfo()).toMatchObject({ state: 'INITIALIZING', version: '1.40.0', nodeId: 'sidecar~x' });
  });

  it('tells the state by the small answer of /ready', async () => {
    const { url, requests } = await stubAdmin(() => ({ code: 503, body: 'INITIALIZING\n' }));
    expect(await adminClient(url).state()).toBe('INITIALIZING');
    expect(requests).toEqual(['GET /ready']);
  });

  it('reads stats as numbers and text, and a stat that Envoy lacks as absent', async () => {
    const { url, requests } = await stubAdmin((path) =>
      path.includes('nope')
        ? ''
        : 'control_plane.identifier: "a: b"\nx.connected_state: 0\nx.time: P0(nan,1) P25(nan,1.5)\noutbound|80||a:b.total: 7\n',
    );
    const admin = adminClient(url);
    const stats = await admin.stats({ filter: 'a|b', usedOnly: true });
    expect([...stats]).toEqual([
      ['control_plane.identifier', 'a: b'],
      ['x.connected_state', 0],
      ['x.time', 'P0(nan,1) P25(nan,1.5)'],
      ['outbound|80||a:b.total', 7],
    ]);
    expect(await admin.stat('x.connected_state')).toBe(0);
    expect(await admin.stat('nope')).toBeUndefined();
    expect(requests).toEqual([
      'GET /stats?filter=a%7Cb&usedonly',
      'GET /stats?filter=%5Ex%5C.connected_state%24',
      'GET /stats?filter=%5Enope%24',
    ]);
  });

  it('tells where listeners are bound, which hosts clusters have, and what Envoy still waits for', async () => {
    const answers: Record<string, unknown> = {
      '/listeners?format=json': {
        listener_statuses: [
          { name: 'l1', local_address: { socket_address: { address: '127.0.0.1', port_value: 4711 } } },
          { name: 'l2', local_address: { pipe: { path: '/s' } } },
        ],
      },
      '/clusters?format=json': {
        cluster_statuses: [
          {
            name: 'c1',
            added_via_api: true,
            host_statuses: [
              { address: { socket_address: { address: '10.0.0.1', port_value: 80 } }, health_status: { eds_health_status: 'HEALTHY' } },
            ],
          },
          { name: 'xds-grpc' },
        ],
      },
      '/init_dump': { unready_targets_dumps: [{ name: 'init manager Server', target_names: ['target LDS'] }, { name: 'idle' }] },
    };
    const { url } = await stubAdmin((path) => JSON.stringify(answers[path]));
    const admin = adminClient(url);
    expect([...(await admin.listeners())]).toEqual([
      ['l1', { host: '127.0.0.1', port: 4711 }],
      ['l2', { pipe: '/s' }],
    ]);
    expect(await admin.clusters()).toEqual([
      { name: 'c1', addedViaApi: true, hosts: [{ address: { host: '10.0.0.1', port: 80 }, health: 'HEALTHY' }] },
      { name: 'xds-grpc', addedViaApi: false, hosts: [] },
    ]);
    expect(await admin.initDump()).toEqual([{ name: 'init manager Server', targets: ['target LDS'] }]);
  });

  it('asks config_dump for a part of it', async () => {
    const { url, requests } = await stubAdmin(() => '{"configs": []}');
    expect(await adminClient(url).configDump({ resource: 'dynamic_listeners', includeEds: true })).toEqual({ configs: [] });
    await adminClient(url).quit();
    expect(requests).toEqual(['GET /config_dump?resource=dynamic_listeners&include_eds', 'POST /quitquitquit']);
  });

  it('works over a Unix socket', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'fake-istiod-test-'));
    const { url } = await stubAdmin(() => 'LIVE\n', { socketPath: join(dir, 'admin') });
    expect(await adminClient(url).ready()).toEqual({ code: 200, body: 'LIVE' });
    await rm(dir, { recursive: true });
  });

  it('names the URL and the cause where nobody listens', async () => {
    await expect(adminClient('http://127.0.0.1:1').ready()).rejects.toMatchObject({
      code: 'envoy.unreachable',
      message: expect.stringMatching(/^Envoy's admin API at http:\/\/127\.0\.0\.1:1 does not answer \/ready: connect ECONNREFUSED/),
    });
  });

  it('gives up on an Envoy that takes the request and stays mute', async () => {
    const { url } = await stubAdmin(() => undefined);
    await expect(adminClient(url, { timeoutMs: 20 }).ready()).rejects.toMatchObject({
      message: expect.stringContaining('no answer within 0.02 s'),
    });
  });

  it('fails with the reason of the end, in a pending call and in later ones', async () => {
    const ended = new AbortController();
    const gone = new FakeIstiodError('envoy.exited', 'Envoy exited with code 1');
    const { url } = await stubAdmin(() => (ended.abort(gone), undefined));
    const admin = adminClient(url, { ended: ended.signal });
    await expect(admin.state()).rejects.toBe(gone);
    await expect(admin.ready()).rejects.toBe(gone);
  });

  it('takes many calls at a time for no leak, and Node does not warn of one', async () => {
    const { url } = await stubAdmin(() => '{}');
    const admin = adminClient(url, { ended: new AbortController().signal });
    const warnings: string[] = [];
    const heard = ({ name }: Error): number => warnings.push(name);
    process.on('warning', heard);
    onTestFinished(() => void process.off('warning', heard));
    await Promise.all(Array.from({ length: 12 }, () => admin.get('/ready')));
    expect(warnings).toEqual([]);
  });

  it('refuses a URL that is none of an admin API, and an answer that is none of an Envoy', async () => {
    expect(() => adminClient('ftp://x')).toThrowError(expect.objectContaining({ code: 'options.invalid' }));
    const { url } = await stubAdmin((path) => (path === '/init_dump' ? { code: 404, body: 'no' } : '<html>'));
    await expect(adminClient(url).serverInfo()).rejects.toMatchObject({
      code: 'envoy.unreachable',
      message: expect.stringContaining('<html>'),
    });
    await expect(adminClient(url).state()).rejects.toMatchObject({ message: expect.stringContaining('<html>') });
    await expect(adminClient(url).initDump()).rejects.toMatchObject({
      message: expect.stringMatching(/404: no\. Is that the admin address/),
    });
  });
});
