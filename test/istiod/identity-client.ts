import { onTestFinished } from 'vitest';
import { startFakeIstiod, TypeUrl, type FakeIstiod, type FakeIstiodOptions, type TimelineEvent } from '../../src/index.ts';
import { RawClient, type Message, type RawCall, type RawClientOptions } from '../wire/raw-client.ts';

/** Who the clients of these tests are. */
export const account = { namespace: 'demo', serviceAccount: 'web' };
export const accountId = 'spiffe://cluster.local/ns/demo/sa/web';
export const node = {
  id: 'sidecar~10.0.0.1~web-1.demo~demo.svc.cluster.local',
  cluster: 'web.demo',
  metadata: { fields: { NAMESPACE: { stringValue: 'demo' }, SERVICE_ACCOUNT: { stringValue: 'web' } } },
};

/** A server that asks callers who they are, unless the options say otherwise. */
export function start(options: FakeIstiodOptions = {}): Promise<FakeIstiod> {
  return startAsItIs({ auth: true, ...options });
}

/** A server with a cluster and these options. */
export async function startAsItIs(options: FakeIstiodOptions): Promise<FakeIstiod> {
  const istiod = await startFakeIstiod({ serve: { clusters: [{ name: 'a', connect_timeout: '1s' }] }, ...options });
  onTestFinished(() => istiod.stop());
  return istiod;
}

export async function connect(
  istiod: FakeIstiod,
  over: 'plaintext' | 'TLS' = 'plaintext',
  options: RawClientOptions = {},
): Promise<RawClient> {
  const tls = over === 'TLS' ? { ca: await istiod.rootCertificate(), ...options } : {};
  const client = await RawClient.connect(`${over === 'TLS' ? 'https' : 'http'}://${istiod.host}:${istiod.port}`, tls);
  onTestFinished(() => client.close());
  return client;
}

/** Headers with a token of `account`, changed as wished. */
export async function bearer(istiod: FakeIstiod, wish: Partial<Parameters<FakeIstiod['token']>[0]> = {}): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await istiod.token({ ...account, ...wish })}` };
}

/** Opens a stream and asks for CDS. */
export function askForCds(
  client: RawClient,
  variant: 'sotw' | 'delta',
  headers: Readonly<Record<string, string>> = {},
  more: Message = {},
): RawCall {
  const call = client.stream(variant, headers);
  call.send({ node, typeUrl: TypeUrl.cluster, ...more });
  return call;
}

/** What came of a stream: `served`, or the status that it was refused with. */
export async function fate(call: RawCall): Promise<string> {
  return Promise.race([call.responses.next().then(() => 'served'), call.status.then(({ code, text }) => `${code} ${text}`)]);
}

const auth = 'istio.v1.auth';

/** Calls CreateCertificate. */
export function createCertificate(client: RawClient, request: Message | Buffer, headers: Readonly<Record<string, string>> = {}): RawCall {
  const path = `/${auth}.IstioCertificateService/CreateCertificate`;
  const call = client.call(path, `${auth}.IstioCertificateRequest`, `${auth}.IstioCertificateResponse`, headers);
  if (Buffer.isBuffer(request)) call.sendBytes(request);
  else call.send(request);
  return call;
}

/** What came of it: the chain, or the status. */
export async function chainOf(call: RawCall): Promise<readonly string[] | string> {
  return Promise.race([
    call.responses.next().then((response) => response['certChain'] as readonly string[]),
    call.status.then(({ code, text }) => `${code} ${text}`),
  ]);
}

/** Events of one name. */
export function eventsOf<N extends TimelineEvent['event']>(istiod: FakeIstiod, name: N): Extract<TimelineEvent, { event: N }>[] {
  return istiod.timeline.events.filter((event): event is Extract<TimelineEvent, { event: N }> => event.event === name);
}
