import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { FakeIstiod } from '../../src/index.ts';
import { openssl, request } from '../ca/openssl.ts';
import { newPki, text } from '../ca/new-pki.ts';
import {
  accountId,
  askForCds,
  bearer,
  chainOf,
  connect,
  createCertificate,
  eventsOf,
  fate,
  start,
  startAsItIs,
} from './identity-client.ts';

const refused = '16 request authenticate failure';
const impersonating = (identity: string): Record<string, unknown> => ({
  metadata: { fields: { ImpersonatedIdentity: { stringValue: identity }, CertSigner: { stringValue: '' } } },
});

function namesOf(pem: string | undefined): string {
  return new X509Certificate(pem ?? '').subjectAltName ?? '';
}

/** What a call comes to, the name in the leaf for a chain. */
async function nameOrStatus(call: ReturnType<typeof createCertificate>): Promise<string> {
  const chain = await chainOf(call);
  return typeof chain === 'string' ? chain : namesOf(chain[0]);
}

describe.each(['plaintext', 'TLS'] as const)('CreateCertificate over %s', (over) => {
  it('signs for who the token says, whatever the request says', async () => {
    const istiod = await start();
    const csr = await request('EC P-256');
    const chain = await chainOf(createCertificate(await connect(istiod, over), { csr, validityDuration: 3600 }, await bearer(istiod)));
    const [leaf, root, ...rest] = chain as readonly string[];
    expect([rest, root, namesOf(leaf)]).toEqual([[], await istiod.rootCertificate(), `URI:${accountId}`]);
    const { validFrom, validTo } = new X509Certificate(leaf ?? '');
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(3_720_000);
    expect(eventsOf(istiod, 'token.accepted')).toMatchObject([{ service: 'ca', identity: accountId }]);
    expect(eventsOf(istiod, 'certificate.signed')).toMatchObject([
      { identity: accountId, notAfter: new Date(validTo).toISOString(), peer: expect.stringMatching(/^127/) as string },
    ]);
  });

  it('refuses who has no token for it', async () => {
    const istiod = await start();
    const client = await connect(istiod, over);
    const csr = await request('EC P-256');
    expect(await chainOf(createCertificate(client, { csr }))).toBe(refused);
    expect(await chainOf(createCertificate(client, { csr }, await bearer(istiod, { audiences: ['x'] })))).toBe(refused);
    expect(eventsOf(istiod, 'token.rejected').map(({ service }) => service)).toEqual(['ca', 'ca']);
    expect(eventsOf(istiod, 'certificate.signed')).toEqual([]);
  });
});

describe('the CA', () => {
  it('knows a client certificate, as at its renewal', async () => {
    const istiod = await start();
    const { certificatePem: cert, privateKeyPem: key } = await istiod.clientCertificate({ namespace: 'a', serviceAccount: 'b' });
    const call = createCertificate(await connect(istiod, 'TLS', { cert, key }), { csr: await request('EC P-256') });
    expect(await nameOrStatus(call)).toBe('URI:spiffe://cluster.local/ns/a/sa/b');
  });

  it('lets nobody act for somebody else', async () => {
    const istiod = await start();
    const call = createCertificate(
      await connect(istiod),
      { csr: await request('EC P-256'), ...impersonating('spiffe://cluster.local/ns/x/sa/y') },
      await bearer(istiod),
    );
    expect(await chainOf(call)).toBe('16 request impersonation authentication failure');
  });

  it('has a gate of its own', async () => {
    const istiod = await start();
    const client = await connect(istiod);
    const headers = await bearer(istiod);
    istiod.perform({ kind: 'gate', service: 'ca', state: 'closed', tries: 1 });
    istiod.perform({ kind: 'gate', service: 'ca', state: 'closed', tries: 1, caller: '*/ns/demo/sa/*' });
    const csr = await request('EC P-256');
    const other = await bearer(istiod, { namespace: 'shop' });
    const fates = [];
    for (const token of [headers, other, headers, headers]) fates.push(await nameOrStatus(createCertificate(client, { csr }, token)));
    expect(fates).toEqual([refused, 'URI:spiffe://cluster.local/ns/shop/sa/web', refused, `URI:${accountId}`]);
    istiod.perform({ kind: 'gate', service: 'ca', state: 'closed' });
    expect(await fate(askForCds(client, 'delta', headers))).toBe('served');
    istiod.perform({ kind: 'gate', service: 'ca', state: 'open' });
    istiod.perform({ kind: 'gate', service: 'xds', state: 'closed' });
    expect(await nameOrStatus(createCertificate(client, { csr }, headers))).toBe(`URI:${accountId}`);
  });

  it('is unknown to callers without TLS if it is to be as in istiod', async () => {
    const istiod = await start({ quirks: { 'ca-on-plaintext': 'refuse' } });
    const csr = await request('EC P-256');
    const headers = await bearer(istiod);
    const call = createCertificate(await connect(istiod), { csr }, headers);
    expect(await chainOf(call)).toBe('12 unknown service istio.v1.auth.IstioCertificateService');
    expect(await nameOrStatus(createCertificate(await connect(istiod, 'TLS'), { csr }, headers))).toBe(`URI:${accountId}`);
  });

  it('signs by the folder that it was given, and believes the tokens of its key', async () => {
    const dir = await newPki({ intermediate: true, trustDomain: 'mesh.example' });
    const istiod = await startAsItIs({ pki: dir });
    const client = await connect(istiod);
    const csr = await request('EC P-256');
    expect(await chainOf(createCertificate(client, { csr }))).toBe(refused);
    const chain = await chainOf(createCertificate(client, { csr }, await bearer(istiod)));
    expect((chain as readonly string[]).slice(1)).toEqual([text(dir, 'ca-cert.pem'), text(dir, 'root-cert.pem')]);
    expect(namesOf(chain[0])).toBe('URI:spiffe://mesh.example/ns/demo/sa/web');
    const foreign = await bearer(await start());
    expect(await chainOf(createCertificate(client, { csr }, foreign))).toBe(refused);
  });
});

describe('in an open lab the CA signs for', () => {
  async function signed(message: Record<string, unknown>, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const istiod = await startAsItIs({});
    return nameOrStatus(createCertificate(await connect(istiod), message, headers));
  }
  const header = (payload: unknown): Record<string, string> => ({
    authorization: `Bearer x.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`,
  });

  it('whom the request names, where there is no token', async () => {
    expect(await signed({ csr: await request('EC P-256') })).toBe('URI:spiffe://evil/ns/kube-system/sa/admin');
  });

  it('whose token it is, however bad', async () => {
    const csr = await request('EC P-256');
    expect(await signed({ csr }, header({ sub: 'system:serviceaccount:a:b', exp: 1 }))).toBe('URI:spiffe://cluster.local/ns/a/sa/b');
  });

  it.each([{}, null, [], { sub: 3 }, { sub: 'system:serviceaccount:a' }, 'text'])(
    'the request where the token says %j',
    async (payload) => {
      expect(await signed({ csr: await request('EC P-256') }, header(payload))).toBe('URI:spiffe://evil/ns/kube-system/sa/admin');
    },
  );

  it('whom the caller acts for', async () => {
    const message = { csr: await request('EC P-256'), ...impersonating('spiffe://td/ns/x/sa/y') };
    expect(await signed(message, header({ sub: 'system:serviceaccount:a:b' }))).toBe('URI:spiffe://td/ns/x/sa/y');
  });

  it('somebody at least', async () => {
    const csr = await openssl({}, 'req -new -batch -nodes -subj /O=x -keyout /dev/null -newkey ec -pkeyopt ec_paramgen_curve:P-256');
    expect(await signed({ csr })).toBe('URI:spiffe://cluster.local/ns/default/sa/default');
  });
});

describe('a bad certificate request', () => {
  const notParsed = '3 CSR signing error (failed to parse X.509 certificate signing request)';
  const notEncoded = '3 CSR signing error (certificate signing request is not properly encoded)';
  const pem = (text: string): string =>
    `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from(text).toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;

  it.each<[string, (csr: string) => Record<string, unknown>, string, RegExp]>([
    ['that is empty', () => ({}), notEncoded, /^it is empty$/],
    ['that is garbage', () => ({ csr: '\u0000\u0001garbage' }), notEncoded, /no PEM block/],
    ['cut off in the PEM', (csr) => ({ csr: csr.slice(0, 200) }), notEncoded, /no PEM block/],
    ['with garbage in the PEM', () => ({ csr: pem('garbage') }), notParsed, /no PKCS #10 request/],
    ['wrapped twice', (csr) => ({ csr: pem(csr) }), notParsed, /encoded twice/],
    ['of enormous size', (csr) => ({ csr: csr + 'x'.repeat(4_000_000) }), notParsed, /bytes, more than/],
    [
      'for too long',
      (csr) => ({ csr, validityDuration: 91 * 86_400 }),
      '3 CSR signing error (requested TTL 2184h0m0s is greater than the max allowed TTL 2160h0m0s)',
      /limit is 2160h/,
    ],
    ['for longer than a number can say', (csr) => ({ csr, validityDuration: Number.MAX_SAFE_INTEGER }), '', /limit is 2160h/],
  ])('%s ends as a status and an event, and harms nobody', async (_what, message, status, reason) => {
    const istiod = await startAsItIs({});
    const client = await connect(istiod);
    const csr = await request('EC P-256');
    const answer = await chainOf(createCertificate(client, message(csr)));
    expect(answer).toEqual(status === '' ? (expect.stringMatching(/^3 CSR signing error/) as string) : status);
    expect(eventsOf(istiod, 'csr.rejected').map((event) => event.reason)).toEqual([expect.stringMatching(reason)]);
    expect(Array.isArray(await chainOf(createCertificate(client, { csr })))).toBe(true);
  });

  it('with a negative lifetime gets the default', async () => {
    const istiod = await startAsItIs({});
    const chain = await chainOf(createCertificate(await connect(istiod), { csr: await request('EC P-256'), validityDuration: -5 }));
    const { validFrom, validTo } = new X509Certificate(chain[0] ?? '');
    expect(Date.parse(validTo) - Date.parse(validFrom)).toBe(86_520_000);
  });

  it.each([
    ['a message that is none', Buffer.from([0x0a, 0xff, 0x01])],
    ['a struct that is nested for ever', nested(300)],
  ])('%s ends as status 13', async (_what, bytes) => {
    const istiod = await startAsItIs({});
    const client = await connect(istiod);
    expect(await chainOf(createCertificate(client, bytes))).toMatch(/^13 grpc: failed to unmarshal the received message/);
    await expectToSign(istiod);
  });

  it('none at all ends as status 13', async () => {
    const istiod = await startAsItIs({});
    const call = (await connect(istiod)).call('/istio.v1.auth.IstioCertificateService/CreateCertificate', '', '');
    call.http2.end();
    expect(await call.status).toMatchObject({ code: 13 });
    await expectToSign(istiod);
  });

  it('from a client that goes away harms nobody', async () => {
    const istiod = await startAsItIs({});
    const call = createCertificate(await connect(istiod), { csr: await request('EC P-256') });
    await istiod.waitFor({ event: 'certificate.signed' }).then(() => call.http2.destroy());
    await expectToSign(istiod);
  });
});

async function expectToSign(istiod: FakeIstiod): Promise<void> {
  expect(Array.isArray(await chainOf(createCertificate(await connect(istiod), { csr: await request('EC P-256') })))).toBe(true);
}

/** An IstioCertificateRequest whose metadata holds structs in structs. */
function nested(depth: number): Buffer {
  const field = (tag: number, bytes: Buffer): Buffer => {
    const length: number[] = [];
    for (let rest = bytes.length; ; rest >>>= 7) {
      length.push(rest > 127 ? (rest & 127) | 128 : rest);
      if (rest <= 127) break;
    }
    return Buffer.concat([Buffer.from([tag]), Buffer.from(length), bytes]);
  };
  let struct: Buffer = Buffer.alloc(0);
  for (let round = 0; round < depth; round += 1) struct = field(0x0a, field(0x12, field(0x2a, struct)));
  return field(0x22, struct);
}
