import { describe, expect, it } from 'vitest';
import { TypeUrl } from '../../src/index.ts';
import { bothVariants } from '../protocol/model-client.ts';
import { madeScenario } from './made-identity-scenario.ts';
import { accountId, askForCds, bearer, connect, eventsOf, fate, node, start, startAsItIs } from './identity-client.ts';

const nobody = '16 authentication failure';

describe.each(bothVariants)('a server that asks who its callers are, in %s', (variant) => {
  it.each(['plaintext', 'TLS'] as const)('serves who has a token for it, over %s', async (over) => {
    const istiod = await start();
    const client = await connect(istiod, over);
    expect(await fate(askForCds(client, variant, await bearer(istiod)))).toBe('served');
    expect(eventsOf(istiod, 'token.accepted')).toMatchObject([
      {
        service: 'xds',
        identity: accountId,
        audiences: ['istio-ca'],
        clusterId: 'Kubernetes',
        peer: expect.stringMatching(/^127/) as string,
      },
    ]);
  });

  it('hears what was said while it asked, in order and before the end', async () => {
    const istiod = await start({ serve: { clusters: [{ name: 'a' }], listeners: [] } });
    const call = askForCds(await connect(istiod), variant, await bearer(istiod));
    call.send({ typeUrl: TypeUrl.listener });
    call.http2.end();
    const types = [await call.next(), await call.next()].map((response) => response['typeUrl']);
    expect(types).toEqual([TypeUrl.cluster, TypeUrl.listener]);
    expect(await call.status).toMatchObject({ code: 0 });
  });

  it('refuses who has none, without waiting for a request, and tells the reason to its own log alone', async () => {
    const istiod = await start();
    const call = (await connect(istiod)).stream(variant);
    expect(await call.status).toMatchObject({ code: 16, text: 'authentication failure' });
    expect(eventsOf(istiod, 'token.rejected')).toMatchObject([
      {
        reason:
          'Authenticator ClientCertAuthenticator: no verified chain is found; ' +
          'Authenticator KubeJWTAuthenticator: target JWT extraction error: no HTTP authorization header exists',
        wanted: ['istio-ca'],
      },
    ]);
    expect(eventsOf(istiod, 'stream.refused')).toMatchObject([{ code: 16, text: 'authentication failure' }]);
    expect(eventsOf(istiod, 'stream.opened')).toEqual([]);
  });

  it.each([60_000, 200_000])('is not hurt by a header of %i characters', async (length) => {
    const istiod = await start();
    const call = (await connect(istiod)).stream(variant, { authorization: `Bearer ${'x'.repeat(length)}` });
    const ended = await Promise.race([call.status.then(({ code }) => code), call.closed.then(() => 'reset')]);
    expect([16, 'reset']).toContain(ended);
    expect(await fate(askForCds(await connect(istiod), variant, await bearer(istiod)))).toBe('served');
  });

  it('refuses a token for somebody else, and names both audiences in its log', async () => {
    const istiod = await start();
    const call = askForCds(await connect(istiod), variant, await bearer(istiod, { audiences: ['vault'] }));
    expect(await fate(call)).toBe(nobody);
    const [event] = eventsOf(istiod, 'token.rejected');
    expect(event).toMatchObject({ audiences: ['vault'], wanted: ['istio-ca'] });
    expect(event?.reason).toContain('token audiences ["vault"] is invalid for the target audiences ["istio-ca"]');
  });

  it('says no as before Istio 1.8 if asked to', async () => {
    const istiod = await start({ auth: { texts: 'old' } });
    expect(await fate(askForCds(await connect(istiod), variant))).toBe('2 authentication failure');
  });

  it('refuses who vouches by a cluster it does not know, and takes an alias', async () => {
    const istiod = await start({ auth: { clusters: { aliases: { east: 'Kubernetes' } } } });
    const client = await connect(istiod);
    const token = await bearer(istiod);
    expect(await fate(askForCds(client, variant, { ...token, clusterid: 'west' }))).toBe(nobody);
    expect(eventsOf(istiod, 'token.rejected')[0]?.reason).toContain(
      'client claims to be in cluster "west", but we only know about local cluster "Kubernetes" and remote clusters []',
    );
    expect(await fate(askForCds(client, variant, { ...token, clusterid: 'east' }))).toBe('served');
    expect(await fate(askForCds(client, variant, { ...token, clusterid: '' }))).toBe('served');
  });

  it('refuses a known caller that says it is another node', async () => {
    const istiod = await start();
    const call = askForCds(await connect(istiod), variant, await bearer(istiod, { serviceAccount: 'shop' }));
    expect(await fate(call)).toBe('7 authorization failed: no identities ([spiffe://cluster.local/ns/demo/sa/shop]) matched demo/web');
    expect(eventsOf(istiod, 'identity.mismatched')).toMatchObject([
      { identity: 'spiffe://cluster.local/ns/demo/sa/shop', nodeId: node.id },
    ]);
    expect(eventsOf(istiod, 'stream.opened')).toHaveLength(1);
  });

  it('lets a node be anybody if the identity check is off', async () => {
    const istiod = await start({ auth: { identityCheck: false } });
    expect(await fate(askForCds(await connect(istiod), variant, await bearer(istiod, { serviceAccount: 'shop' })))).toBe('served');
  });

  it('knows callers by the client certificate first', async () => {
    const istiod = await start();
    const { certificatePem: cert, privateKeyPem: key } = await istiod.clientCertificate({ namespace: 'demo', serviceAccount: 'web' });
    expect(await fate(askForCds(await connect(istiod, 'TLS', { cert, key }), variant, { authorization: 'Bearer x' }))).toBe('served');
    expect(eventsOf(istiod, 'certificate.accepted')).toMatchObject([{ service: 'xds', identity: accountId }]);
    expect(eventsOf(istiod, 'token.rejected')).toEqual([]);
  });

  it('keeps everybody out while its gate is closed, open streams aside', async () => {
    const istiod = await start({ auth: false });
    const client = await connect(istiod);
    const before = askForCds(client, variant);
    expect(await fate(before)).toBe('served');
    istiod.perform({ kind: 'gate', service: 'xds', state: 'closed' });
    expect(await fate(askForCds(client, variant))).toBe(nobody);
    expect(eventsOf(istiod, 'caller.turned-away')).toMatchObject([{ service: 'xds', reason: 'the gate is closed' }]);
    istiod.perform({ kind: 'gate', service: 'xds', state: 'open' });
    expect(await fate(askForCds(client, variant))).toBe('served');
    before.send({ typeUrl: TypeUrl.endpoint, resourceNames: ['x'], resourceNamesSubscribe: ['x'] });
    await istiod.waitFor({ event: 'request.received', stream: 1, typeUrl: TypeUrl.endpoint });
  });

  it('keeps out so many tries of one node, and lets others in', async () => {
    const istiod = await start({ auth: false });
    const client = await connect(istiod);
    istiod.perform({ kind: 'gate', service: 'xds', state: 'closed', tries: 2, caller: 'sidecar~*~web-*' });
    const other = { ...node, id: 'sidecar~10.0.0.2~shop-1.demo~demo.svc.cluster.local' };
    expect(await fate(askForCds(client, variant, {}, { node: other }))).toBe('served');
    const fates = [];
    for (let round = 0; round < 3; round += 1) fates.push(await fate(askForCds(client, variant)));
    expect(fates).toEqual([nobody, nobody, 'served']);
  });

  it('lets in so many new streams per second', async () => {
    const istiod = await start({ auth: false });
    const client = await connect(istiod);
    istiod.perform({ kind: 'rate-limit', perSecond: 0.001 });
    expect(await fate(askForCds(client, variant))).toBe('served');
    expect(await fate(askForCds(client, variant))).toBe('8 request rate limit exceeded: rate: Wait(n=1) would exceed context deadline');
    istiod.perform({ kind: 'rate-limit' });
    expect(await fate(askForCds(client, variant))).toBe('served');
  });

  it('can begin to ask, and stop asking, while it runs', async () => {
    const istiod = await start({ auth: false });
    const client = await connect(istiod);
    expect(await fate(askForCds(client, variant))).toBe('served');
    istiod.perform({ kind: 'auth', wish: { audiences: ['a', 'b'] } });
    expect(await fate(askForCds(client, variant))).toBe(nobody);
    istiod.perform({ kind: 'auth', wish: { issuer: 'me' } });
    expect(await fate(askForCds(client, variant, await bearer(istiod, { audiences: ['b'], issuer: 'me' })))).toBe('served');
    expect(await fate(askForCds(client, variant, await bearer(istiod, { issuer: 'me' })))).toBe(nobody);
    istiod.perform({ kind: 'auth', wish: 'off' });
    expect(await fate(askForCds(client, variant))).toBe('served');
  });

  it('is not ready before it asks anybody anything', async () => {
    const istiod = await start();
    istiod.perform({ kind: 'set-ready', ready: false });
    expect(await fate(askForCds(await connect(istiod), variant))).toMatch(/server is not ready to serve discovery information$/);
    expect(eventsOf(istiod, 'token.rejected')).toEqual([]);
  });
});

describe('where a server that asks gets its rules from', () => {
  it('a scenario', async () => {
    const istiod = await startAsItIs({ scenario: madeScenario([{ kind: 'auth', wish: { audiences: ['vault'] } }]) });
    const client = await connect(istiod);
    expect(await fate(askForCds(client, 'delta', await bearer(istiod)))).toBe(nobody);
    expect(await fate(askForCds(client, 'delta', await bearer(istiod, { audiences: ['vault'] })))).toBe('served');
  });

  it("the caller's wishes lie over the scenario's", async () => {
    const istiod = await start({
      scenario: madeScenario([{ kind: 'auth', wish: { audiences: ['vault'], texts: 'old' } }]),
      auth: { audiences: ['x'] },
    });
    const client = await connect(istiod);
    expect(await fate(askForCds(client, 'delta', await bearer(istiod, { audiences: ['vault'] })))).toBe('2 authentication failure');
    expect(await fate(askForCds(client, 'delta', await bearer(istiod, { audiences: ['x'] })))).toBe('served');
  });

  it('`auth: false` opens a scenario that asks, and leaves its gates alone', async () => {
    const identity = [
      { kind: 'auth', wish: {} },
      { kind: 'gate', service: 'xds', state: 'closed', tries: 1 },
    ] as const;
    const client = await connect(await start({ scenario: madeScenario(identity), auth: false }));
    expect(await fate(askForCds(client, 'delta'))).toBe(nobody);
    expect(await fate(askForCds(client, 'delta'))).toBe('served');
  });

  it('nobody is asked where nothing says so', async () => {
    const istiod = await startAsItIs({});
    expect(await fate(askForCds(await connect(istiod), 'sotw', { authorization: 'Bearer nonsense' }))).toBe('served');
    expect(istiod.timeline.events.filter(({ event }) => event.startsWith('token.'))).toEqual([]);
  });
});
