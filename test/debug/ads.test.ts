import { describe, expect, it } from 'vitest';
import { decodeJson } from '../../src/protobuf/canonical-json.ts';
import { TypeUrl, type FakeIstiod, type FakeIstiodOptions } from '../../src/index.ts';
import type { Message, RawCall } from '../wire/raw-client.ts';
import { debugged, get, nodeOf, proxy, stream, type Json } from './debugged.ts';

type Variant = 'sotw' | 'delta';
interface Any {
  readonly typeUrl: string;
  readonly value: Uint8Array;
}

const asker = { id: 'sidecar~10.0.0.9~test-1.default~default.svc.cluster.local' };

async function headersOf(istiod: FakeIstiod, namespace: string): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await istiod.token({ namespace, serviceAccount: 'default' })}` };
}

/** A stream of somebody of `namespace`, who has proved it. */
async function known(istiod: FakeIstiod, variant: Variant, namespace = 'istio-system'): Promise<RawCall> {
  return stream(istiod, variant, await headersOf(istiod, namespace));
}

function ask(call: RawCall, variant: Variant, what: string, names: readonly string[] = [], nonce = '2026-11-30 08:00:00 +0000 UTC'): void {
  const asked: Message = variant === 'sotw' ? { resourceNames: names } : { resourceNamesSubscribe: names };
  call.send({ node: asker, typeUrl: `istio.io/debug${what}`, responseNonce: nonce, ...asked });
}

/** The Anys of a response of either variant. */
function anysOf(response: Message): readonly Any[] {
  return (response['resources'] as readonly (Any & { readonly resource?: Any })[]).map((one) => one.resource ?? one);
}

function json({ typeUrl, value }: Any): Json {
  return decodeJson(typeUrl.slice(typeUrl.lastIndexOf('/') + 1), value) as Json;
}

const closed = (options: FakeIstiodOptions = {}): Promise<FakeIstiod> => debugged({ auth: { identityCheck: false }, ...options });

async function listed(istiod: FakeIstiod, call: RawCall, variant: Variant): Promise<readonly Json[]> {
  ask(call, variant, '/syncz');
  return anysOf(await call.next()).map(json);
}

describe.each(['sotw', 'delta'] as const)('istio.io/debug over ADS in %s', (variant) => {
  it('tells how far each proxy has got, and who answers', async () => {
    const istiod = await closed({ podName: 'istiod-7' });
    istiod.withhold('CDS', { node: '*shop*' });
    const { call: shop, answers } = await proxy(
      istiod,
      nodeOf('bank', 'demo', { ISTIO_VERSION: '1.31.0' }),
      await headersOf(istiod, 'demo'),
    );
    const [clusters, listeners] = answers as [Message, Message];
    shop.send({ typeUrl: TypeUrl.cluster, responseNonce: clusters['nonce'] });
    shop.send({ typeUrl: TypeUrl.listener, responseNonce: listeners['nonce'], errorDetail: { code: 13, message: 'no such filter' } });
    await istiod.waitFor({ event: 'response.nacked' });
    const waiting = await stream(istiod, 'sotw', await headersOf(istiod, 'demo'));
    waiting.send({ node: nodeOf('shop', 'demo'), typeUrl: TypeUrl.cluster });
    await istiod.waitFor({ event: 'response.withheld' });
    const call = await known(istiod, variant);
    ask(call, variant, '/syncz');
    const response = await call.next();
    const { identifier } = response['controlPlane'] as { readonly identifier: string };
    expect(JSON.parse(identifier)).toMatchObject({
      Component: 'istiod',
      ID: 'istiod-7',
      Info: { version: '1.31.0-fake', tag: '1.31.0-fake' },
    });
    const time = expect.any(String) as unknown;
    expect(anysOf(response).map(json)).toEqual([
      {
        node: { id: 'bank.demo', metadata: { CLUSTER_ID: 'Kubernetes', NAMESPACE: 'demo', ISTIO_VERSION: '1.31.0' } },
        genericXdsConfigs: [
          { typeUrl: TypeUrl.cluster, configStatus: 'SYNCED', lastUpdated: time },
          {
            typeUrl: TypeUrl.listener,
            configStatus: 'ERROR',
            lastUpdated: time,
            errorState: { lastUpdateAttempt: time, details: 'no such filter' },
          },
          { typeUrl: TypeUrl.secret, configStatus: 'STALE', lastUpdated: time },
        ],
      },
      {
        node: { id: 'shop.demo', metadata: { CLUSTER_ID: 'Kubernetes', NAMESPACE: 'demo' } },
        genericXdsConfigs: [{ typeUrl: TypeUrl.cluster, configStatus: 'NOT_SENT' }],
      },
    ]);
  });

  it('lists plain proxies unless that is switched off, and never who only asks', async () => {
    const istiod = await closed();
    await proxy(istiod, nodeOf('plain', 'demo'), await headersOf(istiod, 'demo'));
    await proxy(istiod, nodeOf('side', 'demo', { PROXY_CONFIG: '{}' }), await headersOf(istiod, 'demo'));
    const call = await known(istiod, variant);
    expect((await listed(istiod, call, variant)).map(({ node }) => (node as Json)['id'])).toEqual(['plain.demo', 'side.demo']);
    const strict = await closed({ quirks: { 'plain-proxies': 'hidden' } });
    await proxy(strict, nodeOf('plain', 'demo'), await headersOf(strict, 'demo'));
    await proxy(strict, nodeOf('side', 'demo', { PROXY_CONFIG: '{}' }), await headersOf(strict, 'demo'));
    const other = await known(strict, variant);
    expect((await listed(strict, other, variant)).map(({ node }) => (node as Json)['id'])).toEqual(['side.demo']);
  });

  it('answers each request, in order, also one that reads like an ACK, and leaves no watch', async () => {
    const istiod = await closed();
    const call = await known(istiod, variant);
    ask(call, variant, '', ['list']);
    ask(call, variant, '/syncz');
    const [first, second] = [await call.next(), await call.next()];
    expect([first['typeUrl'], second['typeUrl']]).toEqual(['istio.io/debug', 'istio.io/debug/syncz']);
    expect(second['resources']).toEqual([]);
    ask(call, variant, '/syncz', [], String(second['nonce']));
    expect((await call.next())['nonce']).not.toBe(second['nonce']);
    expect(istiod.node(asker.id).types).toEqual([]);
  });

  it('is answered also to a client that has closed its side already', async () => {
    const istiod = await closed();
    const call = await known(istiod, variant);
    ask(call, variant, '', ['list']);
    call.http2.end();
    expect(anysOf(await call.next())[0]?.typeUrl).toBe('istio.io/debug');
    expect(await call.status).toMatchObject({ code: 0 });
  });

  it('carries what HTTP answers, as raw bytes', async () => {
    const istiod = await closed();
    await proxy(istiod, nodeOf('shop', 'demo'), await headersOf(istiod, 'demo'));
    const call = await known(istiod, variant);
    for (const path of ['registryz', 'config_dump?proxyID=shop.demo', 'config_dump', 'edsz?proxyID=nobody', 'nothing']) {
      ask(call, variant, '', [path]);
      const [any] = anysOf(await call.next());
      expect(any?.typeUrl).toBe('istio.io/debug');
      expect(Buffer.from(any?.value ?? []).toString()).toBe((await get(istiod, `/debug/${path}`)).text);
    }
  });

  it('dumps the configuration of a proxy as messages, keys redacted; of none if it is not there', async () => {
    const istiod = await closed();
    await proxy(istiod, nodeOf('shop', 'demo'), await headersOf(istiod, 'demo'));
    const call = await known(istiod, variant);
    ask(call, variant, '/config_dump', ['shop.demo']);
    const sections = anysOf(await call.next());
    expect(sections.map(({ typeUrl }) => typeUrl.split('.').at(-1))).toEqual(
      'BootstrapConfigDump ClustersConfigDump ListenersConfigDump ScopedRoutesConfigDump RoutesConfigDump SecretsConfigDump EcdsConfigDump'.split(
        ' ',
      ),
    );
    expect(json(sections[1] as Any)).toMatchObject({ dynamicActiveClusters: [{ cluster: { '@type': TypeUrl.cluster, name: 'a' } }] });
    expect(JSON.stringify(json(sections[5] as Any))).toContain('[redacted]');
    expect(Buffer.concat(sections.map(({ value }) => value)).toString('latin1')).not.toContain('KEY OF OURS');
    for (const names of [['nobody'], [], ['shop.demo', 'other']]) {
      ask(call, variant, '/config_dump', names);
      expect((await call.next())['resources']).toEqual([]);
    }
  });

  it('has an empty answer to a question that nobody knows', async () => {
    const istiod = await closed();
    const call = await known(istiod, variant);
    ask(call, variant, '/anything');
    expect((await call.next())['resources']).toEqual([]);
  });

  it('asks for exactly one name', async () => {
    const istiod = await closed();
    for (const names of [[], ['syncz', 'list']]) {
      const call = await known(istiod, variant);
      ask(call, variant, '', names);
      expect(await call.status).toMatchObject({ code: 3, text: 'exactly one debug request is required' });
    }
  });

  it('shows callers of other namespaces their own proxies alone', async () => {
    const istiod = await closed();
    await proxy(istiod, nodeOf('shop', 'demo'), await headersOf(istiod, 'demo'));
    await proxy(istiod, nodeOf('bank', 'other'), await headersOf(istiod, 'other'));
    const call = await known(istiod, variant, 'demo');
    expect((await listed(istiod, call, variant)).map(({ node }) => (node as Json)['id'])).toEqual(['shop.demo']);
    ask(call, variant, '', ['config_dump?proxyID=shop.demo&types=cds']);
    expect(Buffer.from(anysOf(await call.next())[0]?.value ?? []).toString()).toContain('"name":"a"');
    ask(call, variant, '', ['config_dump?proxyID=bank.other']);
    expect(Buffer.from(anysOf(await call.next())[0]?.value ?? []).toString()).toMatch(/^Proxy not connected/);
    ask(call, variant, '/config_dump', ['bank.other']);
    expect((await call.next())['resources']).toEqual([]);
    ask(call, variant, '', ['syncz']);
    expect(await call.status).toMatchObject({
      code: 7,
      text: 'the debug info is not available for current identity: "spiffe://cluster.local/ns/demo/sa/default"',
    });
  });

  it('wants to know who asks where nobody else does, unless that is switched off', async () => {
    const istiod = await debugged();
    const nobody = await stream(istiod, variant);
    ask(nobody, variant, '/syncz');
    expect(await nobody.status).toMatchObject({ code: 16, text: 'authentication required' });
    const somebody = await known(istiod, variant);
    expect(await listed(istiod, somebody, variant)).toEqual([]);
    const open = await debugged({ quirks: { 'debug-identity': 'any' } });
    expect(await listed(open, await stream(open, variant), variant)).toEqual([]);
  });
});
