import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/envoy/bootstrap.ts';
import { bundledCommand, removeBundledCommand } from '../bundled-command.ts';
import { realEnvoy } from '../envoy/real-envoy.ts';
import { runProgram } from './fake-istiod-program.ts';
import { openMesh, type Mesh } from './mesh.ts';
import { whyNoNamespace } from './namespace.ts';
import { buildLimitMs, peerBinary, whyNoPeers } from './peer-binary.ts';

const whyNot = whyNoPeers() ?? whyNoNamespace();
if (whyNot !== undefined) console.log(`istioctl is not shown proxies: ${whyNot}`);

/** The mesh of two-shops.yaml, and a cluster whose certificate comes over SDS. */
async function scenarioWithSecret(program: string, folder: string): Promise<string> {
  const pki = join(folder, 'pki');
  await runProgram(program, 'ca', 'init', '--pki', pki);
  await runProgram(program, 'ca', 'sign', '--pki', pki, '--namespace', 'demo', '--service-account', 'web', '--out', join(pki, 'web'));
  const pem = async (file: string): Promise<object> => ({ inline_bytes: await readFile(join(pki, 'web', file), 'base64') });
  const secret = { certificate_chain: await pem('cert-chain.pem'), private_key: await pem('key.pem') };
  const tls = {
    '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
    common_tls_context: { tls_certificate_sds_secret_configs: [{ name: 'default', sds_config: { ads: {}, resource_api_version: 'V3' } }] },
  };
  const socket = { name: 'envoy.transport_sockets.tls', typed_config: tls };
  const cluster = { name: 'outbound|443||bank.demo.svc.cluster.local', connect_timeout: '1s', type: 'STATIC', transport_socket: socket };
  const shops = parse(await readFile(join(import.meta.dirname, 'two-shops.yaml'), 'utf8')) as object;
  const file = join(folder, 'shops.json');
  writeFileSync(
    file,
    JSON.stringify({ ...shops, serve: { clusters: [cluster], secrets: [{ name: 'default', tls_certificate: secret }] } }),
  );
  return file;
}

/** A sidecar brings a PROXY_CONFIG, a plain Envoy does not. */
const proxies = [
  { name: 'shop-1.demo', variant: 'delta', ip: '10.199.0.2', admin: 15_100, metadata: { PROXY_CONFIG: {}, ISTIO_VERSION: '1.31.0' } },
  { name: 'plain-1.demo', variant: 'sotw', ip: '10.199.0.9', admin: 15_101, metadata: {} },
] as const;
type Proxy = (typeof proxies)[number];

describe.skipIf(whyNot !== undefined)('istioctl, with two Envoys connected', () => {
  let istioctl: string;
  let mesh: Mesh;
  let certificate: string;
  let folder: string;
  beforeAll(async () => {
    const [program, binary, envoy] = await Promise.all([bundledCommand(), peerBinary('istioctl'), realEnvoy()]);
    if (envoy.kind !== 'binary') throw new Error('Envoy runs in a namespace: FAKE_ISTIOD_TEST_ENVOY has to be a version or a path');
    istioctl = binary;
    folder = mkdtempSync(join(tmpdir(), 'fake-istiod-istioctl-'));
    mesh = await openMesh(program, await scenarioWithSecret(program, folder));
    certificate = await mesh.certificate({ namespace: 'istio-system', serviceAccount: 'default' });
    await Promise.all(proxies.map((proxy) => startEnvoy(proxy, envoy.path)));
  }, buildLimitMs);
  afterAll(async () => {
    await mesh?.close();
    rmSync(folder, { recursive: true, force: true });
    removeBundledCommand();
  });

  async function startEnvoy({ name, variant, ip, admin, metadata }: Proxy, path: string): Promise<void> {
    const token = await mesh.token({ namespace: 'demo', serviceAccount: 'web' }, 'istio-ca');
    const json = bootstrap({
      port: 15_012,
      variant,
      node: { name: name.split('.')[0] ?? '', namespace: 'demo', ip, metadata: { SERVICE_ACCOUNT: 'web', ...metadata } },
      admin: { port: admin },
      tls: { rootCert: await readFile(join(mesh.pki, 'root-cert.pem'), 'utf8') },
      initialMetadata: { authorization: `Bearer ${token.trim()}` },
    });
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(json));
    mesh.namespace.start(path, ['-c', file, '--disable-hot-restart', '--concurrency', '1', '-l', 'warning']);
    await mesh.istiod.line(new RegExp(`"response.acked".*${name}.*RouteConfiguration`));
  }

  async function run(command: string, args: readonly string[]): Promise<string> {
    const running = mesh.namespace.start(command, args, { env: { KUBECONFIG: join(folder, 'there-is-none') } });
    await running.ended;
    return running.lines.join('\n');
  }

  const over = ['--xds-address', 'localhost:15012', '--authority', 'istiod.istio-system.svc', '--revision', 'default'];
  const asked = (...words: readonly string[]): Promise<string> => run(istioctl, [...words, ...over, '--cert-dir', certificate]);
  const fetched = (url: string): Promise<string> =>
    run(process.execPath, ['-e', `fetch('${url}').then(async (answer) => console.log(await answer.text()))`]);

  it('lists both in proxy-status, with what each subscribes to and who serves it', async () => {
    const text = await asked('proxy-status');
    const rows = text.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(rows[0]).toEqual(['NAME', 'CLUSTER', 'ISTIOD', 'VERSION', 'SUBSCRIBED TYPES']);
    expect(rows).toContainEqual(['plain-1.demo', 'Kubernetes', 'fake-istiod', '5 (CDS,LDS,EDS,RDS,SDS)']);
    expect(rows).toContainEqual(['shop-1.demo', 'Kubernetes', 'fake-istiod', '1.31.0', '5 (CDS,LDS,EDS,RDS,SDS)']);
    expect(rows).toHaveLength(3);
  });

  it('tells with -v 1 that each type is synced', async () => {
    const text = await asked('proxy-status', '-v', '1');
    for (const { name } of proxies) expect(text).toMatch(new RegExp(`^${name}( +SYNCED \\(\\d+m?s\\)| +IGNORED| +Kubernetes){7}`, 'm'));
    expect(text).toMatch(/^NAME +CLUSTER +CDS +ECDS +EDS +LDS +RDS +SDS +ISTIOD +VERSION/m);
  });

  it('prints the response as JSON', async () => {
    const { resources, typeUrl, controlPlane } = JSON.parse(await asked('proxy-status', '-o', 'json')) as Record<string, unknown>;
    expect(typeUrl).toBe('istio.io/debug/syncz');
    expect(JSON.parse((controlPlane as { identifier: string }).identifier)).toMatchObject({ Component: 'istiod', ID: 'fake-istiod' });
    expect(resources).toContainEqual(
      expect.objectContaining({
        '@type': 'type.googleapis.com/envoy.service.status.v3.ClientConfig',
        node: { id: 'shop-1.demo', metadata: { CLUSTER_ID: 'Kubernetes', NAMESPACE: 'demo', ISTIO_VERSION: '1.31.0' } },
      }),
    );
  });

  it('prints what x internal-debug asks for, as HTTP answers it', async () => {
    const sync = JSON.parse(await asked('x', 'internal-debug', 'syncz')) as { readonly proxy: string; readonly cluster_acked?: string }[];
    expect(sync.map(({ proxy }) => proxy)).toEqual(expect.arrayContaining(['plain-1.demo', 'shop-1.demo']));
    const overHttp = JSON.parse(await fetched('http://127.0.0.1:15014/debug/syncz?namespace=demo')) as typeof sync;
    expect(sync.filter(({ cluster_acked }) => cluster_acked)).toEqual(overHttp);
    expect(JSON.parse(await asked('x', 'internal-debug', '--list'))).toContain('endpointShardz');
    expect(JSON.parse(await asked('x', 'internal-debug', 'edsz?proxyID=shop-1.demo'))).toMatchObject({
      configs: [
        { clusterName: 'outbound|80||shop.demo.svc.cluster.local' },
        { clusterName: 'outbound|9000||books.demo.svc.cluster.local' },
      ],
    });
  });

  it('understands that a proxyID is missing, and that there is no such path', async () => {
    expect(await asked('x', 'internal-debug', 'config_dump')).toContain('You must provide a proxyID in the query string');
    const unknown = await asked('x', 'internal-debug', 'nothing');
    expect(unknown).toContain('error: according to below command list, please check all supported internal debug commands');
    expect(unknown).toContain('"adsz?push=true"');
  });

  it('tells the version of the control plane and of the proxies', async () => {
    const text = await asked('x', 'version');
    expect(text).toMatch(/control plane version: 1\.31\.0-fake/);
    expect(text).toMatch(/data plane version: .*1\.31\.0/);
  });

  it.each(
    proxies.flatMap(({ name, admin, variant }) => [
      { of: 'istiod for', name, variant, url: `http://127.0.0.1:15014/debug/config_dump?include_eds&proxyID=${name}` },
      { of: 'Envoy of', name, variant, url: `http://127.0.0.1:${admin}/config_dump?include_eds` },
    ]),
  )('reads the config dump of $of $name ($variant) in proxy-config', async ({ name, url, of }) => {
    const file = join(folder, `${of.split(' ')[0]}-${name}-dump.json`);
    writeFileSync(file, await fetched(url));
    const config = (kind: string): Promise<string> => run(istioctl, ['proxy-config', kind, '--file', file]);
    expect(await config('cluster')).toMatch(/^shop\.demo\.svc\.cluster\.local +80 +- +outbound +EDS/m);
    expect(await config('listener')).toMatch(/^0\.0\.0\.0 +80 .*Route: 80/m);
    expect(await config('route')).toMatch(/^80 +shop\.demo\.svc\.cluster\.local:80 /m);
    expect(await config('eds')).toMatch(/^10\.199\.0\.3:8080 .*outbound\|80\|\|shop\.demo\.svc\.cluster\.local$/m);
    expect(await config('secret')).toMatch(/^default +Cert Chain +ACTIVE +true /m);
    expect(await readFile(file, 'utf8')).not.toContain(Buffer.from('-----BEGIN PRIVATE KEY').toString('base64').slice(0, 24));
    expect(await config('bootstrap')).not.toMatch(/error/i);
  });

  it.each(proxies)('reads the endpoints that Envoy of $name has', async ({ name, admin }) => {
    const file = join(folder, `${name}-clusters.json`);
    writeFileSync(file, await fetched(`http://127.0.0.1:${admin}/clusters?format=json`));
    expect(await run(istioctl, ['proxy-config', 'endpoint', '--file', file])).toMatch(
      /^10\.199\.0\.3:8080 +HEALTHY +OK +outbound\|80\|\|shop\.demo\.svc\.cluster\.local$/m,
    );
  });
});
