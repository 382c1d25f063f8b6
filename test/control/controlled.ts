import * as v from 'valibot';
import { expect, onTestFinished } from 'vitest';
import { ControlClient } from '../../src/control/control-client.ts';
import type { ProblemDetails } from '../../src/control/problem.ts';
import { problemForm } from '../../src/control/problem-form.ts';
import type { Route } from '../../src/control/route.ts';
import { routes } from '../../src/control/route-table.ts';
import { startFakeIstiod, TypeUrl, type FakeIstiod, type FakeIstiodOptions } from '../../src/index.ts';
import { RawClient, type Message, type RawCall } from '../wire/raw-client.ts';

/** A fake istiod with its control API, both ended with the test. */
export interface Controlled {
  readonly istiod: FakeIstiod;
  readonly url: string;
  readonly client: ControlClient;
}

export async function controlledIstiod(options: FakeIstiodOptions = {}): Promise<Controlled> {
  const istiod = await startFakeIstiod({ control: {}, ...options });
  onTestFinished(() => istiod.stop());
  const { url = '', token } = istiod.control ?? {};
  return { istiod, url, client: checked(new ControlClient({ url, ...(token === undefined ? {} : { token }) })) };
}

/** Sees to it that every answer is what its operation declares, no more and no less. */
function checked(client: ControlClient): ControlClient {
  const call = client.call.bind(client);
  client.call = async (operation, ...rest) => {
    const answer = await call(operation, ...rest);
    const [method, path] = operation.split(' ');
    const route = Object.values<Route>(routes).find((one) => one.method === method && one.path === path);
    const { issues = [] } = v.safeParse(route?.answer ?? v.never(), answer);
    expect(issues.map((issue) => `${operation} answers ${v.getDotPath(issue) ?? ''}: ${issue.message}`)).toEqual([]);
    return answer;
  };
  return client;
}

export const json = (method: string, body: unknown): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});
export const yaml = (method: string, body: string): RequestInit => ({ method, body, headers: { 'content-type': 'application/yaml' } });

/** The problem that a request is answered with; it has to be one. */
export async function problemOf(url: string, init?: RequestInit): Promise<ProblemDetails> {
  const response = await fetch(url, init);
  expect(response.headers.get('content-type'), `${init?.method ?? 'GET'} ${url} ${String(init?.body)}`).toBe('application/problem+json');
  const text = await response.text();
  expect(text).not.toMatch(/\bat .*\.(ts|js):\d+/);
  const details = v.parse(problemForm, JSON.parse(text));
  expect(details.status).toBe(response.status);
  return details as ProblemDetails;
}

export const node = { id: 'sidecar~10.0.0.1~shop.demo~demo.svc.cluster.local', cluster: 'shop.demo', metadata: {} };

/** A client that shares no code with the server, and asks for CDS. */
export async function connected(istiod: FakeIstiod, who: { readonly id: string; readonly cluster: string } = node): Promise<RawCall> {
  const raw = await RawClient.connect(`http://${istiod.host}:${istiod.port}`);
  onTestFinished(() => void raw.session.destroy());
  const call = raw.stream('sotw');
  call.send({ node: { id: who.id, cluster: who.cluster }, typeUrl: TypeUrl.cluster });
  return call;
}

export function nonceOf(response: Message): string {
  return (response['nonce'] as string | undefined) ?? '';
}

/** Takes the next response and accepts it. */
export async function accept(call: RawCall): Promise<Message> {
  const response = await call.next();
  call.send({
    typeUrl: TypeUrl.cluster,
    versionInfo: response['versionInfo'] ?? response['version_info'],
    responseNonce: nonceOf(response),
  });
  return response;
}

export const cluster = (name: string): { readonly name: string; readonly connect_timeout: string } => ({ name, connect_timeout: '1s' });
