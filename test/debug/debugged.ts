import { onTestFinished } from 'vitest';
import { startFakeIstiod, TypeUrl, type FakeIstiod, type FakeIstiodOptions } from '../../src/index.ts';
import { RawClient, type Message, type RawCall } from '../wire/raw-client.ts';

export type Json = Readonly<Record<string, unknown>>;

export const mesh = {
  clusters: [{ name: 'a', connect_timeout: '1s' }],
  listeners: [],
  secrets: [{ name: 'tls', tls_certificate: { certificate_chain: { inline_string: 'C' }, private_key: { inline_string: 'KEY OF OURS' } } }],
};

/** A server with istiod's HTTP, which ends with the test. */
export async function debugged(options: FakeIstiodOptions = {}): Promise<FakeIstiod> {
  const istiod = await startFakeIstiod({ serve: mesh, debug: { monitoringPort: 0, httpPort: 0 }, ...options });
  onTestFinished(() => istiod.stop());
  return istiod;
}

/** A node of the raw client. */
export function nodeOf(name: string, namespace: string, more: Readonly<Record<string, string>> = {}): Message {
  const fields = Object.entries({ NAMESPACE: namespace, CLUSTER_ID: 'Kubernetes', ...more });
  return {
    id: `sidecar~10.0.0.1~${name}.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { fields: Object.fromEntries(fields.map(([key, stringValue]) => [key, { stringValue }])) },
  };
}

export async function stream(
  istiod: FakeIstiod,
  variant: 'sotw' | 'delta' = 'sotw',
  headers: Readonly<Record<string, string>> = {},
): Promise<RawCall> {
  const client = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
  onTestFinished(() => void client.session.destroy());
  return client.stream(variant, headers);
}

/** A proxy that has asked for CDS, LDS and the secret, and said nothing of the answers. */
export async function proxy(
  istiod: FakeIstiod,
  node: Message = nodeOf('shop', 'demo'),
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly call: RawCall; readonly answers: readonly Message[] }> {
  const call = await stream(istiod, 'sotw', headers);
  call.send({ node, typeUrl: TypeUrl.cluster });
  const clusters = await call.next();
  call.send({ typeUrl: TypeUrl.listener });
  const listeners = await call.next();
  call.send({ typeUrl: TypeUrl.secret, resourceNames: ['tls'] });
  return { call, answers: [clusters, listeners, await call.next()] };
}

/** `path` of the monitoring port; `ready` and the like of the other one begin with `http:`. */
export async function get(
  istiod: FakeIstiod,
  path: string,
  init?: RequestInit,
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  const [base, rest] = path.startsWith('http:') ? [istiod.debug?.httpUrl, path.slice(5)] : [istiod.debug?.monitoringUrl, path];
  const response = await fetch(`${base}${rest}`, init);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

export async function getJson(istiod: FakeIstiod, path: string): Promise<unknown> {
  return JSON.parse((await get(istiod, path)).text);
}
