import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeIstiodError, startFakeIstiod, TypeUrl } from '../../src/index.ts';
import { debugged, get, getJson, nodeOf, proxy, stream, type Json } from './debugged.ts';

const nonce = (message: Json | undefined): unknown => message?.['nonce'];

describe("istiod's HTTP", () => {
  it('lists its paths as istiod does', async () => {
    const istiod = await debugged();
    expect(await getJson(istiod, '/debug/list')).toEqual(
      (
        'adsz adsz?push=true ambientz authorizationz cachez cachez?clear=true cachez?sizes=true clusterz config_dump configz connections ecdsz ' +
        'edsz endpointShardz endpointz inject instancesz krtz mcsz mesh ndsz networkz push_status pushcontext registryz resourcesz sidecarz ' +
        'syncz telemetryz'
      ).split(' '),
    );
  });

  it('answers each path of its list without a failure, on both ports, and shows all of them on a page', async () => {
    const istiod = await debugged({ scenario: 'twenty-services' });
    await proxy(istiod);
    const page = (await get(istiod, '/debug')).text;
    for (const path of (await getJson(istiod, '/debug/list')) as string[]) {
      const about = `${path}${path.includes('?') ? '&' : '?'}proxyID=shop.demo`;
      for (const port of ['', 'http:']) {
        const { status, text, headers } = await get(istiod, `${port}/debug/${about}`);
        expect([path, status]).toEqual([path, path === 'inject' ? 404 : 200]);
        if (headers.get('content-type') === 'application/json') expect(text).toBe(JSON.stringify(JSON.parse(text)));
      }
      expect(page).toContain(`/debug/${path.split('?')[0]}"`);
    }
  });

  it('tells whether it is ready on one port, and its metrics and version on the other', async () => {
    const istiod = await debugged();
    expect(await get(istiod, 'http:/ready')).toMatchObject({ status: 200, text: '' });
    istiod.perform({ kind: 'set-ready', ready: false });
    expect(await get(istiod, 'http:/ready')).toMatchObject({ status: 503, text: '' });
    istiod.perform({ kind: 'set-ready', ready: true });
    istiod.perform({ kind: 'stop-server' });
    expect(await get(istiod, 'http:/ready')).toMatchObject({ status: 503 });
    for (const path of ['/ready', 'http:/metrics', 'http:/version', '/debug/', '/debug/nothing', '/debug/pprof/', '/debug/toString'])
      expect([path, (await get(istiod, path)).text]).toEqual([path, '404 page not found\n']);
    expect((await get(istiod, '/version')).text).toMatch(/^1\.31\.0-fake-\d+\.\d+\.\d+\S*-Fake$/);
  });

  it('has nobody connected at first', async () => {
    const istiod = await debugged();
    expect((await get(istiod, '/debug/syncz')).text).toBe('[]');
    expect((await get(istiod, '/debug/adsz')).text).toBe('{"totalClients":0}');
    expect((await get(istiod, '/debug/connections')).text).toBe('{"totalClients":0}');
  });

  it('tells in nonces how far each connection has got, and what it refused', async () => {
    const istiod = await debugged();
    const { call, answers } = await proxy(istiod, nodeOf('shop', 'demo', { ISTIO_VERSION: '1.31.0' }));
    const [clusters, listeners] = answers;
    call.send({ typeUrl: TypeUrl.cluster, responseNonce: nonce(clusters) });
    call.send({ typeUrl: TypeUrl.listener, responseNonce: nonce(listeners), errorDetail: { code: 13, message: 'no such filter' } });
    await istiod.waitFor({ event: 'response.nacked' });
    await proxy(istiod, nodeOf('other', 'elsewhere'));
    const rows = (await getJson(istiod, '/debug/syncz?namespace=demo')) as readonly Json[];
    const sentTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
    expect(rows).toEqual([
      {
        cluster_id: 'Kubernetes',
        proxy: 'shop.demo',
        proxy_type: 'sidecar',
        istio_version: '1.31.0',
        cluster_sent: nonce(clusters),
        cluster_acked: nonce(clusters),
        listener_sent: nonce(listeners),
        resources: {
          [TypeUrl.cluster]: { sent: nonce(clusters), acked: nonce(clusters), sentTime },
          [TypeUrl.listener]: { sent: nonce(listeners), sentTime, lastError: 'no such filter' },
          [TypeUrl.secret]: { sent: nonce(answers[2]), sentTime },
        },
      },
    ]);
  });

  it('tells who is connected and what is watched, one or all, by a part of the id', async () => {
    const istiod = await debugged();
    await proxy(istiod, nodeOf('shop', 'demo'));
    await proxy(istiod, nodeOf('bank', 'demo'));
    const both = (await getJson(istiod, '/debug/connections')) as { readonly clients: readonly Json[] };
    expect(both).toMatchObject({ totalClients: 2, clients: [{ connectionId: 'bank.demo-2' }, { connectionId: 'shop.demo-1' }] });
    expect(Object.keys(both.clients[0] ?? {})).toEqual(['connectionId', 'connectedAt', 'address']);
    expect(await getJson(istiod, '/debug/adsz?proxyID=shop')).toMatchObject({
      totalClients: 1,
      clients: [
        {
          connectionId: 'shop.demo-1',
          address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as unknown,
          metadata: { NAMESPACE: 'demo', CLUSTER_ID: 'Kubernetes' },
          watches: { [TypeUrl.cluster]: [], [TypeUrl.listener]: [], [TypeUrl.secret]: ['tls'] },
        },
      ],
    });
  });

  it('dumps what is served in sections, without keys', async () => {
    const istiod = await debugged();
    await proxy(istiod);
    const { text } = await get(istiod, '/debug/config_dump?proxyID=shop.demo&pretty');
    expect(text).toContain('\n  "configs": [');
    expect(text).not.toContain('KEY OF OURS');
    const { configs } = JSON.parse(text) as { readonly configs: readonly Json[] };
    expect(configs.map((config) => String(config['@type']).split('.').at(-1))).toEqual(
      'BootstrapConfigDump ClustersConfigDump ListenersConfigDump ScopedRoutesConfigDump RoutesConfigDump SecretsConfigDump EcdsConfigDump'.split(
        ' ',
      ),
    );
    expect(configs[1]).toMatchObject({ dynamicActiveClusters: [{ cluster: { '@type': TypeUrl.cluster, name: 'a' } }] });
    expect(JSON.stringify(configs[5])).toContain('[redacted]');
    const eds = (await getJson(istiod, '/debug/config_dump?proxyID=shop.demo&include_eds')) as { readonly configs: readonly Json[] };
    expect(eds.configs[2]).toEqual({ '@type': 'type.googleapis.com/envoy.admin.v3.EndpointsConfigDump' });
    expect(await getJson(istiod, '/debug/config_dump?proxyID=shop.demo&types=cds')).toEqual({
      configs: [{ '@type': TypeUrl.cluster, name: 'a', connectTimeout: '1s' }],
    });
    expect((await get(istiod, '/debug/config_dump?proxyID=shop.demo&types=sds')).text).toMatch(/^(?!.*KEY OF OURS).*\[redacted\]/);
    // It does not ask for EDS.
    expect((await get(istiod, '/debug/edsz?proxyID=shop.demo')).text).toBe('{}');
  });

  it('tells that a proxyID is missing or unknown in the words that istioctl looks for', async () => {
    const istiod = await debugged();
    for (const path of ['config_dump', 'edsz', 'ndsz', 'ecdsz', 'sidecarz', 'force_disconnect']) {
      expect(await get(istiod, `/debug/${path}`)).toMatchObject({ status: 400, text: 'You must provide a proxyID in the query string\n' });
      expect(await get(istiod, `/debug/${path}?proxyID=x`)).toMatchObject({
        status: 404,
        text: 'Proxy not connected to this Pilot instance. It may be connected to another instance.\n',
      });
    }
    expect((await get(istiod, '/debug/adsz?proxyID=x')).status).toBe(404);
  });

  it('pushes everything anew to everybody', async () => {
    const istiod = await debugged();
    const { call, answers } = await proxy(istiod);
    expect((await get(istiod, '/debug/adsz?push=true')).text).toBe('Pushed to 1 servers\n');
    const again = await call.next();
    expect(again).toMatchObject({ typeUrl: TypeUrl.cluster, resources: answers[0]?.['resources'] });
    expect(again['versionInfo']).not.toBe(answers[0]?.['versionInfo']);
  });

  it('ends the stream of a proxy', async () => {
    const istiod = await debugged();
    const { call } = await proxy(istiod);
    expect((await get(istiod, '/debug/force_disconnect?proxyID=shop.demo')).text).toBe('OK');
    expect(await call.status).toMatchObject({ code: 0 });
  });

  it('tells the services of the mesh, their endpoints, and whose pods the proxies are', async () => {
    const istiod = await debugged({ scenario: 'twenty-services' });
    await proxy(istiod);
    const [service] = (await getJson(istiod, '/debug/registryz')) as readonly Json[];
    expect(service).toMatchObject({ hostname: expect.stringMatching(/\.svc\.cluster\.local$/) as unknown, ports: [{ protocol: 'HTTP' }] });
    const host = String(service?.['hostname']);
    expect(await getJson(istiod, '/debug/endpointShardz')).toMatchObject({
      [host]: { default: { Shards: { 'Kubernetes/Kubernetes': [{ HealthStatus: 1, Locality: { ClusterID: 'Kubernetes' } }] } } },
    });
    expect(await getJson(istiod, '/debug/instancesz')).toEqual({ 'shop.demo': [] });
    expect(await getJson(istiod, '/debug/clusterz')).toEqual([{ id: 'Kubernetes', secretName: '', syncStatus: 'synced' }]);
    expect(await getJson(istiod, '/debug/mesh')).toMatchObject({ trustDomain: 'cluster.local', rootNamespace: 'istio-system' });
    expect(await getJson(istiod, '/debug/sidecarz?proxyID=shop')).toMatchObject({ namespace: 'demo', name: 'default-sidecar' });
  });

  it('says metrics under the names that istiod has', async () => {
    const istiod = await debugged();
    const { call, answers } = await proxy(istiod, nodeOf('shop', 'demo', { ISTIO_VERSION: '1.31.0' }));
    call.send({ typeUrl: TypeUrl.listener, responseNonce: nonce(answers[1]), errorDetail: { code: 13, message: 'no' } });
    await istiod.waitFor({ event: 'response.nacked' });
    istiod.publish({ clusters: [] });
    await call.next();
    const { text, headers } = await get(istiod, '/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain('\npilot_xds{version="1.31.0"} 1\n');
    expect(text).toContain('\npilot_xds_pushes{type="cds"} 2\n');
    expect(text).toContain('\npilot_total_xds_rejects{type="lds"} 1\n');
    expect(text).toContain('\npilot_xds_lds_reject{err="Internal",node="shop.demo"} 1\n');
    expect(text).toContain('\npilot_proxy_convergence_time_bucket{le="0.1"} 1\n');
    expect(text).toContain('\npilot_push_triggers{type="config"} 1\n');
    expect(text).toMatch(/\npilot_xds_config_size_bytes_count\{type="type.googleapis.com\/envoy.config.cluster.v3.Cluster"\} 2\n/);
    expect(text).toMatch(/\npilot_info\{version="1\.31\.0-fake-[^"]+"\} 1\n/);
    expect(text).toMatch(/\nistiod_uptime_seconds \d/);
    call.http2.close();
    await istiod.waitFor({ event: 'stream.closed' });
    expect((await get(istiod, '/metrics')).text).toContain('\npilot_xds{version="1.31.0"} 0\n');
  });

  it('answers no page of somebody else in a browser', async () => {
    const istiod = await debugged();
    await stream(istiod);
    for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect(await get(istiod, '/debug/adsz?push=true', { headers: headers as Record<string, string> })).toMatchObject({
        status: 403,
        text: '',
      });
    expect((await get(istiod, '/debug/syncz', { method: 'HEAD' })).text).toBe('');
  });

  it('is not there unless it was asked for, and ends with the server', async () => {
    const silent = await startFakeIstiod();
    onTestFinished(() => silent.stop());
    expect(silent.debug).toBeUndefined();
    const istiod = await debugged({ debug: { httpPort: 0 } });
    expect(istiod.debug?.monitoringUrl).toBeUndefined();
    const url = `${istiod.debug?.httpUrl}/ready`;
    expect((await fetch(url)).status).toBe(200);
    await istiod.stop();
    await expect(fetch(url)).rejects.toThrow();
  });

  it('says that its port is taken, and what to do', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const error = await debugged({ debug: { monitoringPort: port } }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FakeIstiodError);
    expect(error).toMatchObject({ code: 'port.in-use', message: expect.stringContaining('`--monitoring-port`') as unknown });
    const refused: string[] = [];
    const istiod = await debugged({
      debug: { monitoringPort: port, httpPort: 0, onUnavailable: ({ code }, of) => refused.push(`${of} ${code}`) },
    });
    expect(refused).toEqual(['monitoring port.in-use']);
    expect(istiod.debug?.monitoringUrl).toBeUndefined();
    expect((await get(istiod, 'http:/ready')).status).toBe(200);
  });
});
