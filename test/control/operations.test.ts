import { describe, expect, it } from 'vitest';
import { FakeIstiodError, startFakeIstiod, TypeUrl } from '../../src/index.ts';
import { accept, cluster, connected, controlledIstiod, node, nonceOf } from './controlled.ts';

const other = { id: 'sidecar~10.0.0.2~pay.demo~demo.svc.cluster.local', cluster: 'pay.demo' };

/** Resource names in a SotW response of clusters: field 1 is the name, and it stands first. */
function namesIn(response: Readonly<Record<string, unknown>>): readonly string[] {
  const list = response['resources'] as readonly { readonly value: Uint8Array }[];
  return list.map(({ value }) => Buffer.from(value.subarray(2, 2 + (value[1] ?? 0))).toString());
}

describe('The control API', () => {
  it('withholds, tells who waits for it, releases, and tells when it is acknowledged', async () => {
    const { istiod, client } = await controlledIstiod({ serve: { clusters: [cluster('a')] } });
    const { rules, performed } = await client.call('POST /withhold', { body: 'CDS' });
    expect([performed, rules.map(({ command }) => command)]).toEqual([['withhold CDS'], [{ withhold: 'CDS' }]]);
    const call = await connected(istiod);
    const { event } = await client.call('POST /wait', { body: { 'response.withheld': { type: 'CDS', node: { id: 'sidecar~*' } } } });
    expect(event).toMatchObject({ event: 'response.withheld', node: node.id });
    const { subscriptions } = await client.call('GET /subscriptions', { query: { type: 'CDS', node: node.id } });
    expect(subscriptions).toMatchObject([{ node: node.id, type: 'CDS', sync: 'withheld', withheld: 'all', wildcard: 'legacy' }]);
    await expect(client.call('GET /wait/acked', { query: { node: node.id, type: ['CDS'], timeout: '30ms' } })).rejects.toMatchObject({
      code: 'wait.timed-out',
      message: expect.stringMatching(/CDS: withheld; release it/) as string,
    });
    await client.call('POST /release', { body: 'CDS' });
    expect(namesIn(await accept(call))).toEqual(['a']);
    const { version } = await client.call('PUT /snapshot/{type}', { params: { type: 'CDS' }, body: [cluster('b')] });
    const acked = client.call('GET /wait/acked', { query: { version, node: node.id, timeout: '5s' } });
    expect(namesIn(await accept(call))).toEqual(['b']);
    expect(await acked).toEqual({ acked: true, version, types: ['type.googleapis.com/envoy.config.cluster.v3.Cluster'] });
    expect(await client.call('GET /nodes/{node}', { params: { node: node.id } })).toMatchObject({
      connected: true,
      types: [{ type: 'CDS', sync: 'acked', counts: { acks: 2, nacks: 0 } }],
    });
  });

  it("tells a NACK in the client's own words, and keeps every frame", async () => {
    const { istiod, client } = await controlledIstiod({ serve: { clusters: [cluster('a')] } });
    const call = await connected(istiod);
    const response = await call.next();
    const errorDetail = { code: 13, message: 'no such thing' };
    call.send({ typeUrl: TypeUrl.cluster, responseNonce: nonceOf(response), errorDetail });
    await istiod.waitFor({ type: 'response.nacked' });
    const again = client.call('GET /wait/acked', { query: { timeout: '5s' } });
    await expect(again).rejects.toMatchObject({ code: 'push.nacked', message: expect.stringContaining('no such thing') as string });
    const { frames } = await client.call('GET /journal', { query: { type: 'CDS' } });
    expect(frames.map(({ direction, outcome, cause }) => [direction, outcome ?? cause])).toEqual([
      ['in', 'initial'],
      ['out', 'reply'],
      ['in', 'nack'],
    ]);
    expect(await client.call('GET /journal/count', { query: { outcome: 'nack' } })).toEqual({ count: 1 });
    await client.call('GET /journal/assert', { query: { outcome: 'nack', text: '*such*', exactly: 1 } });
    const twice = client.call('GET /journal/assert', { query: { outcome: 'nack', at_least: 2 } });
    await expect(twice).rejects.toMatchObject({ code: 'journal.unexpected' });
    const [asked, sent] = frames;
    const message = async (seq: number | undefined) => (await client.call('GET /journal/{seq}', { params: { seq: seq ?? 0 } })).message;
    expect(await message(asked?.seq)).toMatchObject({ typeUrl: TypeUrl.cluster, node: { id: node.id } });
    expect(await message(sent?.seq)).toMatchObject({ nonce: nonceOf(response), resources: [{ name: 'a' }] });
  });

  it('serves two tests at once, each with its own node', async () => {
    const { istiod, client } = await controlledIstiod({ serve: { clusters: [cluster('both')] } });
    const [first, second] = [await connected(istiod), await connected(istiod, other)];
    expect(namesIn(await accept(first))).toEqual(['both']);
    expect(namesIn(await accept(second))).toEqual(['both']);
    await client.call('POST /withhold', { body: { type: 'CDS', node: { id: other.id } } });
    const { version } = await client.call('PUT /snapshot', { query: { node: node.id }, body: { clusters: [cluster('mine')] } });
    const acked = client.call('GET /wait/acked', { query: { version, node: node.id, timeout: '5s' } });
    expect(namesIn(await accept(first))).toEqual(['mine']);
    await acked;
    const served = async (id: string): Promise<readonly string[]> => {
      const { resources } = await client.call('GET /snapshot/{type}', { params: { type: 'clusters' }, query: { node: id } });
      return resources.map(({ name }) => name);
    };
    expect([await served(node.id), await served(other.id)]).toEqual([['mine'], ['both']]);
    expect(await client.call('GET /journal/count', { query: { node: other.id, direction: 'out' } })).toEqual({ count: 1 });
    expect(await client.call('POST /close', { body: { node: other.id, code: 'ABORTED', message: 'bye' } })).toEqual({ closed: 1 });
    expect(await istiod.waitFor({ type: 'stream.closed' })).toMatchObject({ node: other.id, code: 10, text: 'bye' });
    expect((await client.call('GET /nodes', { query: { connected: true } })).nodes.map(({ id }) => id)).toEqual([node.id]);
  });

  it('takes single resources, and gives them back in a form that it takes', async () => {
    const { client } = await controlledIstiod({
      serve: {
        clusters: [cluster('a'), cluster('b')],
        secrets: [{ name: 's', tls_certificate: { private_key: { inline_string: 'key' } } }],
      },
    });
    const put = (name: string) => client.call('PUT /snapshot/{type}/{name}', { params: { type: 'CDS', name }, body: cluster(name) });
    await put('outbound|80||a/b.demo');
    await client.call('PATCH /snapshot', { body: { remove: { clusters: ['a'] } } });
    await client.call('DELETE /snapshot/{type}/{name}', { params: { type: TypeUrl.cluster, name: 'b' } });
    const { resources } = await client.call('GET /snapshot/{type}', { params: { type: TypeUrl.cluster } });
    expect(resources.map(({ name }) => name)).toEqual(['outbound|80||a/b.demo']);
    const same = await client.call('PUT /snapshot', { body: { resources: resources.map(({ resource }) => resource) } });
    expect(same.types).toEqual([]);
    const dump = JSON.stringify(await client.call('GET /config_dump', {}));
    expect(dump).toContain('"dynamicActiveSecrets":[{"name":"s"');
    expect(dump).toContain('"privateKey":{"inlineString":"[redacted]"}');
    expect(dump).not.toContain('"key"}');
  });

  it('lists, adds, changes and removes rules, and tells each in words that it takes', async () => {
    const { istiod, client } = await controlledIstiod({ scenario: 'withhold-first-cds' });
    const began = await client.call('GET /rules', {});
    const commands = [
      { withhold: { type: 'EDS', names: ['a'], node: { id: 'x*' } } },
      { delay: { type: 'CDS', by: '250ms', variant: 'delta' } },
      { drop: { type: 'LDS', times: 2 } },
      { refuse: { code: 14, message: 'no', times: 3 } },
      { gates: { ca: { closed_for: 2, caller: 'spiffe://*' } } },
      { rate_limit: 5 },
      { auth: { audiences: ['x'], clock_skew: '2s' } },
      { tls: 'expired' },
      { ready: false },
      { silence: 'server' },
    ] as const;
    for (const command of commands) {
      const { rules } = await client.call('POST /rules', { body: command });
      expect(rules.map((rule) => rule.command)).toEqual([command]);
    }
    expect(await client.call('GET /state', {})).toMatchObject({ server: 'silent', ready: false });
    const { rules } = await client.call('GET /rules', { query: { kind: 'delay' } });
    const id = rules[0]?.id ?? '';
    const changed = await client.call('PUT /rules/{id}', { params: { id }, body: { delay: { type: 'CDS', by: '1s' } } });
    expect([changed.id, changed.command]).toEqual([id, { delay: { type: 'CDS', by: '1s' } }]);
    expect(await client.call('DELETE /rules/{id}', { params: { id } })).toEqual({ removed: [id] });
    await expect(client.call('GET /rules/{id}', { params: { id } })).rejects.toMatchObject({ code: 'rule.not-found' });
    expect(await client.call('PUT /server', { body: { server: 'up', ready: true } })).toMatchObject({ server: 'up', ready: true });
    expect((await client.call('DELETE /rules', { query: { kind: 'gate' } })).removed).toHaveLength(1);
    const { rules: left } = await client.call('POST /reset', {});
    expect(left.map(({ command }) => command)).toEqual(began.rules.map(({ command }) => command));
    expect(istiod.rules).toHaveLength(1);
    expect((await client.call('DELETE /rules', {})).removed).toHaveLength(1);
  });

  it('lists, explains, plays and stops scenarios', async () => {
    const { client } = await controlledIstiod();
    const { scenarios } = await client.call('GET /scenarios', {});
    expect(scenarios.map(({ name }) => name)).toContain('withhold-first-cds');
    expect(await client.call('GET /scenarios/{name}', { params: { name: 'ready' } })).toMatch(/^ready: /);
    expect(await client.call('PUT /scenario', { body: { name: 'withhold-first-cds' } })).toMatchObject({
      steps: [{ name: 'asked', state: 'waiting' }, {}],
    });
    const text =
      'title: mine\nsteps:\n- when: { envoy.state-reached: LIVE }\n  do: { mark: gone }\n- name: never\n  when: { envoy.exited: {} }\n';
    const written = { text, mediaType: 'application/yaml' } as const;
    expect(await client.call('POST /explain', { written })).toMatch(/^sent: mine\n/);
    expect(await client.call('PUT /scenario', { written })).toMatchObject({ name: 'sent', title: 'mine' });
    await client.call('POST /events', { body: { event: 'envoy.state-reached', state: 'LIVE' } });
    await client.call('POST /wait', { body: { 'moment.marked': 'gone', timeout: '5s' } });
    const { steps, neverFired } = await client.call('DELETE /scenario', {});
    expect([steps.map(({ state }) => state), neverFired.length]).toEqual([['fired', 'never fired'], 1]);
  });

  it('hands out what a proxy needs', async () => {
    const { istiod, client } = await controlledIstiod({ auth: true });
    const bootstrap = await client.call('GET /bootstrap', {
      query: { variant: 'sotw', admin_port: 9901, host: 'istiod', fetch_timeout: '1.5s' },
    });
    expect(bootstrap).toEqual(istiod.bootstrap({ variant: 'sotw', admin: { port: 9901 }, host: 'istiod', fetchTimeout: '1.5s' }));
    expect(await client.call('GET /root-certificate', {})).toBe(await istiod.rootCertificate());
    istiod.perform({ kind: 'rotate-root' });
    const both = await client.call('GET /root-certificate', { query: { former: true } });
    expect(both).toBe([await istiod.rootCertificate(), ...(await istiod.formerRootCertificates())].join(''));
    const claims = async (body: object) => {
      const { token } = await client.call('POST /tokens', { body });
      return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Readonly<Record<string, unknown>>;
    };
    const { aud, sub, exp, nbf } = await claims({ audience: 'vault', namespace: 'demo', service_account: 'web', ttl: '10m' });
    expect([aud, sub, Number(exp) - Number(nbf)]).toEqual([['vault'], 'system:serviceaccount:demo:web', 600]);
    expect(Number((await claims({ expired: true }))['exp'])).toBeLessThan(Date.now() / 1_000 - 3_000);
    const { certificatePem, privateKeyPem } = await client.call('POST /certificates', { body: { namespace: 'demo' } });
    expect([certificatePem, privateKeyPem]).toEqual([expect.stringContaining('BEGIN CERTIFICATE'), expect.stringContaining('PRIVATE KEY')]);
  });

  it('answers a wait that is still open when the server stops', async () => {
    const { istiod, client } = await controlledIstiod();
    const { waitFor } = istiod;
    const begun = new Promise<void>((resolve) => {
      Object.defineProperty(istiod, 'waitFor', { value: (...args: Parameters<typeof waitFor>) => (resolve(), waitFor(...args)) });
    });
    const waiting = client.call('POST /wait', { body: { 'stream.opened': null, timeout: '60s' } });
    const failed = expect(waiting).rejects.toMatchObject({ code: 'istiod.stopped' });
    await begun;
    await istiod.stop();
    await failed;
    await istiod.stop();
    await expect(client.call('GET /health', {})).rejects.toMatchObject({ code: 'control.unreachable' });
  });

  it('is known by its client from anything else that answers', async () => {
    const { istiod } = await controlledIstiod();
    const { ControlClient } = await import('../../src/control/control-client.ts');
    expect(() => new ControlClient({ url: 'nowhere' })).toThrow(FakeIstiodError);
    await using plain = await startFakeIstiod({ tls: 'off' });
    const wrong = new ControlClient({ url: `http://${plain.host}:${plain.port}` });
    await expect(wrong.call('GET /state', {})).rejects.toMatchObject({ code: 'control.unreachable' });
    expect(istiod.control?.token).toBeUndefined();
  });
});
