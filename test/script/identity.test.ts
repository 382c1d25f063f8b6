import { describe, expect, it } from 'vitest';
import { scenarioOf } from './written.ts';

async function beginning(text: string) {
  return (await scenarioOf(`title: x\n${text}`)).identity;
}

async function bootstrap(text: string) {
  return (await scenarioOf(`title: x\nbootstrap: ${text}`)).bootstrap;
}

async function commands(text: string) {
  const { steps } = await scenarioOf(`title: x\nbootstrap: { token_file: {} }\nsteps: [{ when: server.started, do: ${text} }]`);
  return steps[0]?.commands;
}

describe('what a scenario begins with', () => {
  it('is an open lab where it says nothing', async () => {
    expect(await scenarioOf('title: x')).not.toHaveProperty('identity');
  });

  it("may be istiod's own rules, or those with every word changed", async () => {
    expect(await beginning('auth: {}')).toEqual([{ kind: 'auth', wish: {} }]);
    const all = `auth:
  audiences: vault
  issuer: me
  trust_domain: [a.b, old.a.b]
  keys: unsigned-ok
  clusters: { own: one, remote: [two], aliases: { uno: one } }
  identity_check: false
  client_certificate: demanded
  texts: old
  clock_skew: 1m
`;
    expect(await beginning(all)).toEqual([
      {
        kind: 'auth',
        wish: {
          audiences: ['vault'],
          issuer: 'me',
          trustDomains: ['a.b', 'old.a.b'],
          keys: 'unsigned-ok',
          clusters: { own: 'one', remote: ['two'], aliases: { uno: 'one' } },
          identityCheck: false,
          clientCertificate: 'demanded',
          texts: 'old',
          clockSkewMs: 60_000,
        },
      },
    ]);
  });

  it('may close gates, spoil TLS and bound the rate', async () => {
    expect(await beginning('gates: { xds: closed, ca: { closed_for: 3, caller: a* } }\ntls: expired\nrate_limit: 0.5')).toEqual([
      { kind: 'gate', service: 'xds', state: 'closed' },
      { kind: 'gate', service: 'ca', state: 'closed', tries: 3, caller: 'a*' },
      { kind: 'tls', preset: 'expired' },
      { kind: 'rate-limit', perSecond: 0.5 },
    ]);
  });
});

describe('a step', () => {
  it('changes all of that, in the order written', async () => {
    expect(
      await commands('{ rate_limit: off, tls: ok, auth: off, gates: { ca: open }, rotate: root, expire: { certificate: 2s } }'),
    ).toEqual([
      { kind: 'rate-limit' },
      { kind: 'tls', preset: 'ok' },
      { kind: 'auth', wish: 'off' },
      { kind: 'gate', service: 'ca', state: 'open' },
      { kind: 'rotate-root' },
      { kind: 'expire-certificate', afterMs: 2000 },
    ]);
  });

  it("plays the proxy's side", async () => {
    expect(await commands('{ token_file: { audience: a, signed_by: stranger }, request_certificate: { ttl: 60m, token: false } }')).toEqual(
      [
        { kind: 'write-token', token: { audiences: ['a'], signedBy: 'stranger' } },
        { kind: 'request-certificate', request: { ttlMs: 3_600_000, token: false } },
      ],
    );
    expect(await commands('{ request_certificate: { namespace: n, token: { expired: true } } }')).toEqual([
      { kind: 'request-certificate', request: { namespace: 'n', token: { expired: true } } },
    ]);
  });
});

describe('a bootstrap', () => {
  it('speaks TLS if it is told to, or shows a certificate', async () => {
    expect(await bootstrap('{ tls: false }')).toEqual({});
    expect(await bootstrap('{ tls: true }')).toEqual({ tls: {} });
    expect(await bootstrap('{ tls: { sni: a, san: false } }')).toEqual({ tls: { sni: 'a', subjectAltName: false } });
    expect(await bootstrap('{ client_certificate: { namespace: n, service_account: s, trust_domain: t, ttl: 120m } }')).toEqual({
      tls: {},
      certificate: { namespace: 'n', serviceAccount: 's', trustDomain: 't', ttlMs: 7_200_000 },
    });
  });

  it('sends a token, or what is in a file', async () => {
    const all = '{ audience: [a, b], namespace: n, service_account: s, issuer: i, ttl: 5s, signed_by: nobody, cluster_id: c }';
    const token = {
      audiences: ['a', 'b'],
      namespace: 'n',
      serviceAccount: 's',
      issuer: 'i',
      ttlMs: 5000,
      signedBy: 'nobody',
      clusterId: 'c',
    };
    expect(await bootstrap(`{ token: ${all} }`)).toEqual({ token });
    expect(await bootstrap(`{ token_file: ${all} }`)).toEqual({ tokenFile: token });
    expect(await bootstrap('{ token: { expired: false } }')).toEqual({ token: {} });
  });
});
