import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startAgent, type Agent, type AgentOptions } from '../../src/agent/index.ts';
import type { FakeIstiod } from '../../src/index.ts';
import { RawClient, type RawCall } from '../wire/raw-client.ts';

/** Who the pods of these tests are. */
export const account = { namespace: 'demo', serviceAccount: 'web' };
export const accountId = 'spiffe://cluster.local/ns/demo/sa/web';
export const node = {
  id: 'sidecar~10.0.0.1~web-0.demo~demo.svc.cluster.local',
  metadata: { fields: { NAMESPACE: { stringValue: 'demo' }, SERVICE_ACCOUNT: { stringValue: 'web' } } },
};

/** A pod's folder: its files appear in one step, as kubelet makes them. */
export interface PodFolder {
  readonly root: string;
  put(name: string, text: string): void;
  putToken(text: string): void;
}

export const tokenFile = 'var/run/secrets/tokens/istio-token';
export const rootFile = 'var/run/secrets/istio/root-cert.pem';

export function podFolder(): PodFolder {
  const root = mkdtempSync(join(tmpdir(), 'fake-istiod-pod-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const put = (name: string, text: string): void => {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  return { root, put, putToken: (text) => put(tokenFile, text) };
}

/** A folder with the root and a token of this istiod, whose audience may be another one. */
export async function podFor(istiod: FakeIstiod, audience = 'istio-ca'): Promise<PodFolder> {
  const pod = podFolder();
  pod.put(rootFile, await istiod.rootCertificate());
  pod.putToken(await istiod.token({ ...account, audiences: [audience] }));
  return pod;
}

/** Starts an agent without an Envoy, on free ports, with a key that is soon made. */
export async function agentIn(pod: PodFolder, address: string, options: AgentOptions = {}): Promise<Agent> {
  const agent = await startAgent({
    root: pod.root,
    discoveryAddress: address,
    istiodSan: 'istiod.istio-system.svc',
    workload: account,
    key: { kind: 'ec', curve: 'P-256' },
    envoy: { kind: 'none' },
    ports: { status: 0, admin: 0, ready: 0, prometheus: 0 },
    ...options,
  });
  onTestFinished(() => agent.stop());
  return agent;
}

/** A client on one of the agent's sockets, in Envoy's place. */
export async function clientOn(socketPath: string): Promise<RawClient> {
  const client = await RawClient.connect('http://agent', { socketPath });
  onTestFinished(() => client.close());
  return client;
}

const discovery = 'envoy.service.discovery.v3';

/** Asks for secrets, as Envoy does. */
export function askForSecrets(client: RawClient, names: readonly string[]): RawCall {
  const call = client.call(
    '/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets',
    `${discovery}.DiscoveryRequest`,
    `${discovery}.DiscoveryResponse`,
  );
  call.send({ node, resourceNames: names, typeUrl: 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret' });
  return call;
}

/** What came of a stream: `served`, or the status that it ended with. */
export function fate(call: RawCall): Promise<string> {
  return Promise.race([call.responses.next().then(() => 'served'), call.status.then(({ code, text }) => `${code} ${text}`)]);
}

/** Texts of the agent's log. */
export function said(agent: Agent): readonly string[] {
  return agent.log.map(({ level, scope, text }) => `${level} ${scope} ${text}`);
}

/** Asks 15020. */
export async function ask(agent: Agent, path: string, init: RequestInit = {}): Promise<{ readonly code: number; readonly body: string }> {
  const response = await fetch(`http://127.0.0.1:${agent.ports.status}${path}`, init);
  return { code: response.status, body: await response.text() };
}
