import { X509Certificate, createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certificatePems } from '../../src/ca/pem.ts';
import { startFakeIstiod, type FakeIstiod } from '../../src/index.ts';
import { messageType } from '../../src/protobuf/message-type.ts';
import { manualClock } from '../clock.ts';
import type { RawCall } from '../wire/raw-client.ts';
import { account, accountId, agentIn, askForSecrets, clientOn, fate, node, podFolder, podFor, rootFile, said } from './pod-folder.ts';

const secretType = 'envoy.extensions.transport_sockets.tls.v3.Secret';

interface Given {
  readonly name: string;
  readonly chain: string;
  readonly key: string;
  readonly root: string;
}

/** The secrets of the next response. */
async function next(call: RawCall): Promise<readonly Given[]> {
  const { resources } = (await call.next()) as { readonly resources: readonly { readonly value: Uint8Array }[] };
  const type = messageType(secretType);
  return resources.map(({ value }) => {
    const secret = type.toObject(type.decode(value)) as Record<string, Record<string, { readonly inlineBytes: Uint8Array }> | undefined>;
    const text = (kind: string, field: string): string => Buffer.from(secret[kind]?.[field]?.inlineBytes ?? []).toString();
    return {
      name: String(secret['name']),
      chain: text('tlsCertificate', 'certificateChain'),
      key: text('tlsCertificate', 'privateKey'),
      root: text('validationContext', 'trustedCa'),
    };
  });
}

const addressOf = (istiod: FakeIstiod): string => `${istiod.host}:${istiod.port}`;

describe('the certificate of the workload', () => {
  it('is signed by the CA for the account, and fits its key and the root', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const agent = await agentIn(await podFor(istiod), addressOf(istiod), { secretTtlMs: 3_600_000 });
    const client = await clientOn(agent.sockets.sds);
    const [own] = await next(askForSecrets(client, ['default']));
    const [root] = await next(askForSecrets(client, ['ROOTCA']));
    const leaf = new X509Certificate(own?.chain ?? '');
    expect(leaf.subjectAltName).toBe(`URI:${accountId}`);
    expect(leaf.checkPrivateKey(createPrivateKey(own?.key ?? ''))).toBe(true);
    expect(leaf.verify(new X509Certificate(root?.root ?? '').publicKey)).toBe(true);
    expect(Date.parse(leaf.validTo) - Date.now()).toBeLessThan(3_700_000);
    expect(root?.root).toBe(await istiod.rootCertificate());
  });

  it('is the same for all who ask', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const agent = await agentIn(await podFor(istiod), addressOf(istiod));
    const client = await clientOn(agent.sockets.sds);
    const [[first], [second]] = await Promise.all([next(askForSecrets(client, ['default'])), next(askForSecrets(client, ['default']))]);
    expect(first?.chain).toBe(second?.chain);
    expect(istiod.timeline.events.filter(({ event }) => event === 'certificate.signed')).toHaveLength(1);
  });

  it('cannot be had with a token for somebody else, until the token is right', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const pod = await podFor(istiod, 'vault');
    const agent = await agentIn(pod, addressOf(istiod));
    const client = await clientOn(agent.sockets.sds);
    const reason =
      'failed to generate workload certificate: create certificate: rpc error: code = Unauthenticated desc = request authenticate failure';
    expect(await fate(askForSecrets(client, ['default']))).toBe(`2 failed to generate secret for default: ${reason}`);
    await expect.poll(() => said(agent)).toContain(`warn sds failed to warm certificate: ${reason}`);
    expect(said(agent)).toContain(
      'error citadelclient failed to sign CSR: create certificate: rpc error: code = Unauthenticated desc = request authenticate failure',
    );
    pod.putToken(await istiod.token(account));
    expect(await fate(askForSecrets(client, ['default']))).toBe('served');
  });

  it('is renewed at half of its life, and pushed to who watches it', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const clock = manualClock(new Date());
    const agent = await agentIn(await podFor(istiod), addressOf(istiod), { clock, secretTtlMs: 7_200_000, graceRatioJitter: 0 });
    const call = askForSecrets(await clientOn(agent.sockets.sds), ['default']);
    const [first] = await next(call);
    clock.advance(3_500_000);
    expect(said(agent)).not.toContain('debug cache rotating certificate');
    clock.advance(110_000);
    const [second] = await next(call);
    expect(second?.chain).not.toBe(first?.chain);
    expect(new X509Certificate(second?.chain ?? '').subjectAltName).toBe(`URI:${accountId}`);
  });

  it('is written to a folder, too, if one is named', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const pod = await podFor(istiod);
    const agent = await agentIn(pod, addressOf(istiod), { outputCerts: './etc/certs' });
    const [own] = await next(askForSecrets(await clientOn(agent.sockets.sds), ['default']));
    expect(readFileSync(join(pod.root, 'etc/certs/cert-chain.pem'), 'utf8')).toBe(own?.chain);
    expect(readFileSync(join(pod.root, 'etc/certs/key.pem'), 'utf8')).toBe(own?.key);
    await expect.poll(() => existsSync(join(pod.root, 'etc/certs/root-cert.pem'))).toBe(true);
  });

  it('has an RSA key unless told otherwise, in the form that pilot-agent writes', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const agent = await agentIn(await podFor(istiod), addressOf(istiod), { key: { kind: 'rsa', bits: 2048 } });
    const [own] = await next(askForSecrets(await clientOn(agent.sockets.sds), ['default']));
    expect(own?.key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
    expect(createPrivateKey(own?.key ?? '').asymmetricKeyDetails?.modulusLength).toBe(2048);
  });

  it('is asked for again after a connection failure, several times before that is told', async () => {
    await using istiod = await startFakeIstiod();
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { readonly port: number };
    await new Promise((resolve) => closed.close(resolve));
    const agent = await agentIn(await podFor(istiod), `127.0.0.1:${port}`, { random: () => 0 });
    await expect.poll(() => said(agent).some((text) => text.startsWith('error citadelclient')), { timeout: 8_000 }).toBe(true);
    expect(said(agent).filter((text) => text.startsWith('warn ca ca request failed, starting attempt'))).toHaveLength(4);
    expect(said(agent).find((text) => text.startsWith('error citadelclient'))).toContain(
      `code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:${port}: connect: connection refused"`,
    );
  });
});

describe('secrets in files', () => {
  it('are taken instead of the CA, and pushed when they change', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const pod = podFolder();
    pod.put(rootFile, await istiod.rootCertificate());
    const put = async (): Promise<string> => {
      const { certificatePem, privateKeyPem } = await istiod.clientCertificate(account);
      pod.put('etc/certs/cert-chain.pem', certificatePem);
      pod.put('etc/certs/key.pem', privateKeyPem);
      return certificatePem;
    };
    pod.put('etc/certs/root-cert.pem', await istiod.rootCertificate());
    const before = await put();
    const agent = await agentIn(pod, addressOf(istiod), { fileMountedCerts: true });
    const call = askForSecrets(await clientOn(agent.sockets.sds), ['default']);
    expect((await next(call))[0]?.chain).toBe(before);
    const after = await put();
    expect((await next(call))[0]?.chain).toBe(after);
    expect(istiod.timeline.events.filter(({ event }) => event === 'certificate.signed')).toHaveLength(0);
  });

  it('of the folder workload-spiffe-credentials stand for the CA by themselves', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const pod = await podFor(istiod);
    const { certificatePem, privateKeyPem } = await istiod.clientCertificate(account);
    const folder = 'var/run/secrets/workload-spiffe-credentials';
    pod.put(`${folder}/cert-chain.pem`, certificatePem);
    pod.put(`${folder}/key.pem`, privateKeyPem);
    pod.put(`${folder}/root-cert.pem`, await istiod.rootCertificate());
    const agent = await agentIn(pod, addressOf(istiod));
    const [own] = await next(askForSecrets(await clientOn(agent.sockets.sds), ['default']));
    expect(own?.chain).toBe(certificatePem);
    expect(said(agent)).toContain('info default workload certificate files detected, creating secret manager without caClient');
  });

  it('are found by the name that istiod gives them', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const pod = await podFor(istiod);
    pod.put('tls/root.pem', await istiod.rootCertificate());
    const agent = await agentIn(pod, addressOf(istiod));
    const name = `file-root:${join(pod.root, 'tls/root.pem')}`;
    const [root] = await next(askForSecrets(await clientOn(agent.sockets.sds), [name]));
    expect(root).toMatchObject({ name, root: await istiod.rootCertificate() });
  });

  it('that do not fit each other end the stream', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const pod = await podFor(istiod);
    pod.put('a.pem', (await istiod.clientCertificate(account)).certificatePem);
    pod.put('b.pem', (await istiod.clientCertificate(account)).privateKeyPem);
    const agent = await agentIn(pod, addressOf(istiod));
    const call = askForSecrets(await clientOn(agent.sockets.sds), ['file-cert:a.pem~b.pem']);
    expect(await fate(call)).toBe('2 failed to generate secret for file-cert:a.pem~b.pem: b.pem is not the key of a.pem');
  });
});

describe('the service of secrets', () => {
  it('has one method, for streams of whole state', async () => {
    await using istiod = await startFakeIstiod();
    const agent = await agentIn(await podFor(istiod), addressOf(istiod));
    const client = await clientOn(agent.sockets.sds);
    const path = '/envoy.service.secret.v3.SecretDiscoveryService/';
    const name = 'envoy.service.discovery.v3.DiscoveryRequest';
    expect(await client.call(`${path}DeltaSecrets`, name, name).status).toMatchObject({ code: 12, text: 'DeltaSecrets not implemented' });
    expect(await client.call(`${path}FetchSecrets`, name, name).status).toMatchObject({ code: 12, text: 'FetchSecrets not implemented' });
  });

  it('wants to know who asks', async () => {
    await using istiod = await startFakeIstiod();
    const agent = await agentIn(await podFor(istiod), addressOf(istiod));
    const client = await clientOn(agent.sockets.sds);
    const name = 'envoy.service.discovery.v3.DiscoveryRequest';
    const call = client.call('/envoy.service.secret.v3.SecretDiscoveryService/StreamSecrets', name, name);
    call.send({ resourceNames: ['default'] });
    expect(await call.status).toMatchObject({ code: 3, text: 'missing node information' });
  });

  it('leaves the socket of another agent alone, and then serves files only', async () => {
    await using istiod = await startFakeIstiod({ auth: true });
    const pod = await podFor(istiod);
    pod.put('var/run/secrets/workload-spiffe-uds/here', '');
    const spire = createServer();
    await new Promise<void>((resolve) => spire.listen(join(pod.root, 'var/run/secrets/workload-spiffe-uds/socket'), resolve));
    onTestFinished(() => void spire.close());
    const agent = await agentIn(pod, addressOf(istiod));
    expect(said(agent).join('\n')).toContain('Default Istio SDS Server will only serve files');
    expect(existsSync(join(pod.root, 'var/run/secrets/credential-uds/files-socket'))).toBe(true);
  });
});

it('roots that istiod configures are given out beside that of the CA', async () => {
  const { SecretStore } = await import('../../src/agent/secret-store.ts');
  const { PodFiles } = await import('../../src/agent/pod-files.ts');
  const { AgentMetrics } = await import('../../src/agent/agent-metrics.ts');
  await using istiod = await startFakeIstiod();
  await using other = await startFakeIstiod();
  const [own, extra] = [await istiod.rootCertificate(), await other.rootCertificate()];
  const clock = manualClock();
  let made = 0;
  const store = new SecretStore({
    files: new PodFiles(podFolder().root),
    request: async () => ({ chain: `chain ${++made}`, privateKey: 'key', root: own, createdMs: 0, expiresMs: 1_000 }),
    outputCerts: undefined,
    grace: { ratio: 0.5, jitter: 0 },
    log: () => undefined,
    metrics: new AgentMetrics(),
    clock,
    random: () => 0,
    stopped: new AbortController().signal,
  });
  const updates: string[] = [];
  store.onUpdate((name) => updates.push(name));
  await store.get('default');
  store.setConfiguredRoots([extra]);
  expect(updates).toEqual(['ROOTCA', 'ROOTCA', 'default']);
  const root = await store.get('ROOTCA');
  expect(new Set(certificatePems(root.kind === 'root' ? root.root : ''))).toEqual(new Set([own, extra]));
  store.setConfiguredRoots([extra]);
  expect(updates).toHaveLength(3);
  expect(node.id).toContain('web-0');
});
