import { afterEach, describe, expect, it } from 'vitest';
import { startFakeIstiod, type Command, type FakeIstiod, type FakeIstiodOptions } from '../../src/index.ts';

let istiod: FakeIstiod | undefined;
afterEach(async () => {
  await istiod?.stop();
  istiod = undefined;
});

async function start(options: FakeIstiodOptions): Promise<FakeIstiod> {
  return (istiod = await startFakeIstiod(options));
}

type Request = Extract<Command, { kind: 'request-certificate' }>['request'];

describe('the proxy, asking the CA', () => {
  it('gets a certificate for the account of its token', async () => {
    const server = await start({ auth: true });
    server.perform({ kind: 'request-certificate', request: { namespace: 'shop', serviceAccount: 'web', ttlMs: 3_600_000 } });
    const received = await server.waitFor({ type: 'certificate.received' });
    expect(received).toMatchObject({ identity: 'spiffe://cluster.local/ns/shop/sa/web', chain: 2 });
    const { notAfter } = received as unknown as { readonly notAfter: string };
    expect(Date.parse(notAfter) - Date.now()).toBeGreaterThan(3_500_000);
    expect(Date.parse(notAfter) - Date.now()).toBeLessThan(3_700_000);
    expect(await server.waitFor({ type: 'certificate.signed' })).toMatchObject({ notAfter });
  });

  it.each<[string, Request]>([
    ['a token for somebody else', { token: { audiences: ['vault'] } }],
    ['an expired token', { token: { expired: true } }],
    ['no token', { token: false }],
    ['a token of an unknown cluster', { token: { clusterId: 'nowhere' } }],
  ])('is refused with %s, in the words of istiod', async (_, request) => {
    const server = await start({ auth: true });
    server.perform({ kind: 'request-certificate', request });
    expect(await server.waitFor({ type: 'certificate.refused' })).toMatchObject({ code: 16, text: 'request authenticate failure' });
  });

  it('hears that nobody is there while the server is down', async () => {
    const server = await start({ auth: true });
    server.perform({ kind: 'stop-server' });
    await server.waitFor({ type: 'server.stopped' });
    server.perform({ kind: 'request-certificate', request: {} });
    expect(await server.waitFor({ type: 'certificate.refused' })).toMatchObject({ code: 14 });
  });

  it('trusts the root that signs now, also a new one', async () => {
    const server = await start({ auth: true });
    server.perform({ kind: 'rotate-root' });
    server.perform({ kind: 'request-certificate', request: {} });
    expect(await server.waitFor({ type: 'certificate.received' })).toMatchObject({ chain: 2 });
  });
});
