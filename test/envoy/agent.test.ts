import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { startAgent, type Agent, type AgentOptions } from '../../src/agent/index.ts';
import type { EnvoyBinary } from '../../src/envoy/index.ts';
import { startFakeIstiod, type FakeIstiod, type ResourceSet } from '../../src/index.ts';
import { account, accountId, podFor, said, type PodFolder } from '../agent/pod-folder.ts';
import { realEnvoy } from './real-envoy.ts';

const sds = {
  sds_config: {
    api_config_source: {
      api_type: 'GRPC',
      transport_api_version: 'V3',
      set_node_on_first_message_only: true,
      grpc_services: [{ envoy_grpc: { cluster_name: 'sds-grpc' } }],
    },
    initial_fetch_timeout: '0s',
    resource_api_version: 'V3',
  },
};
const secrets = {
  tls_certificate_sds_secret_configs: [{ name: 'default', ...sds }],
  validation_context_sds_secret_config: { name: 'ROOTCA', ...sds },
};
const tlsContext = (side: 'Upstream' | 'Downstream', more: object = {}): object => ({
  name: 'envoy.transport_sockets.tls',
  typed_config: {
    '@type': `type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.${side}TlsContext`,
    common_tls_context: secrets,
    ...more,
  },
});

/** A cluster and a listener that take certificate and root from the agent. */
const workload: ResourceSet = {
  clusters: [{ name: 'outbound', connect_timeout: '1s', type: 'STATIC', transport_socket: tlsContext('Upstream') }],
  listeners: [
    {
      name: 'inbound',
      address: { socket_address: { address: '127.0.0.1', port_value: 0 } },
      filter_chains: [
        {
          transport_socket: tlsContext('Downstream', { require_client_certificate: true }),
          filters: [
            {
              name: 'envoy.filters.network.http_connection_manager',
              typed_config: {
                '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
                stat_prefix: 'inbound',
                route_config: { virtual_hosts: [] },
                http_filters: [
                  {
                    name: 'envoy.filters.http.router',
                    typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  ],
};
const variants = ['delta', 'sotw'] as const;

let envoy: EnvoyBinary;
beforeAll(async () => {
  envoy = await realEnvoy();
});

/** @note A container of its own would see neither the sockets nor the ports of the agent. */
const needsBinary = process.env['FAKE_ISTIOD_TEST_ENVOY']?.startsWith('docker') ?? false;

function start(istiod: FakeIstiod, pod: PodFolder, options: AgentOptions = {}): Promise<Agent> {
  return startAgent({
    root: pod.root,
    discoveryAddress: `${istiod.host}:${istiod.port}`,
    istiodSan: 'istiod.istio-system.svc',
    workload: { ...account, name: 'web-0', ip: '10.0.0.1' },
    key: { kind: 'ec', curve: 'P-256' },
    envoy: { kind: 'start', envoy },
    ports: { status: 0, admin: 0, ready: 0, prometheus: 0 },
    shape: 'lab',
    terminationDrainMs: 50,
    ...options,
  });
}

/** What kubelet would see: a status code, or why there is none. */
async function probe(port: number, path = '/healthz/ready'): Promise<number | string> {
  try {
    return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    return cause?.code ?? String(error);
  }
}

describe.skipIf(needsBinary)('the agent with a real Envoy', () => {
  it.each(variants)('brings it to LIVE over SDS, TLS and a token, and 15021 to 200 (%s)', async (variant) => {
    await using istiod = await startFakeIstiod({ serve: workload, auth: true, tls: 'on' });
    const pod = await podFor(istiod);
    await using agent = await start(istiod, pod, { variant });
    await agent.admin?.awaitState('LIVE');
    await expect.poll(() => probe(agent.ports.status), { timeout: 20_000 }).toBe(200);
    expect(await probe(agent.ports.ready)).toBe(200);
    expect(await probe(agent.ports.ready, '/other')).toBe(404);
    const metrics = await (await fetch(`http://127.0.0.1:${agent.ports.status}/stats/prometheus`)).text();
    expect(metrics).toMatch(/istio_agent_cert_expiry_seconds\{resource_name="default"\} \d+/);
    expect(metrics).toMatch(/envoy_server_state\{\} 0/);
    const signed = istiod.timeline.events.filter(({ event }) => event === 'certificate.signed');
    expect(signed).toEqual([expect.objectContaining({ identity: accountId })]);
    expect(await shownBy(agent, istiod)).toBe(`URI:${accountId}`);
  });

  it.each(variants)(
    'holds 503 and a refused 15021 under reject-audience, until the token file alone is put right (%s)',
    async (variant) => {
      await using istiod = await startFakeIstiod({ serve: workload, auth: true });
      const pod = await podFor(istiod, 'https://kubernetes.default.svc.cluster.local');
      await using agent = await start(istiod, pod, { variant });
      await istiod.waitFor({ type: 'token.rejected', service: 'xds' });
      await istiod.waitFor({ type: 'token.rejected', service: 'ca' });
      expect(await probe(agent.ports.status)).toBe(503);
      expect(await probe(agent.ports.ready)).toBe('ECONNREFUSED');
      expect(await agent.admin?.state()).toBe('PRE_INITIALIZING');
      expect(await agent.notReadyBecause()).toMatch(
        /^config not received from XDS server \(is Istiod running\?\): cds updates: 0 successful/,
      );
      expect(istiod.timeline.events.filter(({ event }) => event === 'certificate.signed')).toEqual([]);
      const pid = agent.envoyPid;

      pod.putToken(await istiod.token(account));
      await agent.admin?.awaitState('LIVE');
      await expect.poll(() => probe(agent.ports.ready), { timeout: 20_000 }).toBe(200);
      expect(agent.envoyPid).toBe(pid);
      expect(said(agent)).toContain('info default Envoy proxy is ready');
    },
  );

  it('is known by the certificate of a folder, without a token', async () => {
    await using istiod = await startFakeIstiod({ serve: workload, auth: true });
    const pod = await podFor(istiod);
    pod.putToken('');
    const { certificatePem, privateKeyPem } = await istiod.clientCertificate(account);
    pod.put('prov/cert-chain.pem', certificatePem);
    pod.put('prov/key.pem', privateKeyPem);
    pod.put('prov/root-cert.pem', await istiod.rootCertificate());
    await using agent = await start(istiod, pod, { provCert: './prov' });
    await agent.admin?.awaitState('LIVE');
    expect(istiod.timeline.events.some(({ event }) => event === 'token.accepted')).toBe(false);
    expect(istiod.timeline.events).toContainEqual(
      expect.objectContaining({ event: 'certificate.accepted', service: 'ca', identity: accountId }),
    );
  });

  it('drains at its termination, ends Envoy and leaves no socket and no bootstrap', async () => {
    await using istiod = await startFakeIstiod({ serve: workload });
    const pod = await podFor(istiod);
    const agent = await start(istiod, pod);
    await agent.admin?.awaitState('LIVE');
    const bootstrap = join(pod.root, 'etc/istio/proxy/envoy-rev.json');
    expect(existsSync(bootstrap)).toBe(true);
    await agent.terminate();
    expect(await agent.ended).toEqual({ by: 'request' });
    expect(said(agent)).toContain('info default Envoy aborted normally');
    for (const file of [bootstrap, agent.sockets.xds, agent.sockets.sds]) expect(existsSync(file), file).toBe(false);
  });

  it('ends with its Envoy, and as Envoy did', async () => {
    await using istiod = await startFakeIstiod();
    const pod = await podFor(istiod);
    pod.put('wrong.json', '{"admin": {"address": 1}}');
    await using refused = await start(istiod, pod, { bootstrap: join(pod.root, 'wrong.json') });
    expect(await refused.ended).toMatchObject({ by: 'envoy', code: 1 });
    expect(said(refused)).toContain('error default Envoy exited with error: exit status 1');
    await using killed = await start(istiod, await podFor(istiod));
    process.kill(killed.envoyPid ?? 0, 'SIGKILL');
    expect(await killed.ended).toMatchObject({ by: 'envoy', code: 137, exit: { signal: 'SIGKILL' } });
    expect(said(killed)).toContain('error default Envoy exited with error: signal: killed');
  });
});

/** The name in the certificate of the inbound listener, as another workload of the mesh sees it. */
async function shownBy(agent: Agent, istiod: FakeIstiod): Promise<string | undefined> {
  const bound = (await agent.admin?.listeners())?.get('inbound');
  const port = bound && 'port' in bound ? bound.port : 0;
  const { certificatePem, privateKeyPem } = await istiod.clientCertificate({ namespace: 'demo', serviceAccount: 'other' });
  const ca = await istiod.rootCertificate();
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, ca, cert: certificatePem, key: privateKeyPem, checkServerIdentity: () => undefined };
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate().subjectaltname);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
