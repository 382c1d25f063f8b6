import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/ca/authority.ts';
import { rotatingAuthority } from '../../src/ca/rotating-authority.ts';
import { systemClock } from '../../src/clock.ts';
import { tlsPresets } from '../../src/script/command.ts';
import { tlsManners } from '../../src/wire/tls-preset.ts';
import { manualClock } from '../clock.ts';
import { clusterType } from './recorded-streams.ts';
import { named, served, type Served } from './served.ts';
import { sClient, type SClientResult } from './s-client.ts';

async function shake(running: Served, more: readonly string[] = []): Promise<SClientResult> {
  return sClient(running.server.port, await running.server.rootCertificatePem(), more);
}

describe('TLS as openssl sees it', () => {
  it('is good: our root, the name of istiod, h2 by ALPN', async () => {
    expect(await shake(await served())).toMatchObject({ ok: true, alpn: 'h2', verifyError: undefined });
  });

  it.each([
    ['unknown-ca', /self-signed certificate in certificate chain|unable to get local issuer certificate/],
    ['wrong-san', /hostname mismatch/],
    ['expired', /certificate has expired/],
    ['not-yet-valid', /certificate is not yet valid/],
  ] as const)('%s is refused by the client, and the server hears why', async (preset, error) => {
    const running = await served();
    running.server.presentTls(preset);
    const result = await shake(running);
    expect(result.ok).toBe(false);
    expect(result.verifyError).toMatch(error);
    const { reason } = await running.events.next(named('handshake.failed'));
    expect(reason).toMatch(/^the client (does not trust our root|rejects our certificate|takes our certificate for expired)/);
  });

  it('no-alpn agrees on no protocol, and serves HTTP/2 all the same', async () => {
    const running = await served();
    running.server.presentTls('no-alpn');
    const result = await shake(running);
    expect([result.ok, result.alpn, result.text.includes('No ALPN negotiated')]).toEqual([true, undefined, true]);
    expect(running.events.all.filter(named('handshake.failed'))).toEqual([]);
  });

  it('alpn-http1 ends in an alert', async () => {
    const running = await served();
    running.server.presentTls('alpn-http1');
    expect(await shake(running)).toMatchObject({ ok: false, alert: 'no application protocol' });
    const { reason } = await running.events.next(named('handshake.failed'));
    expect(reason).toBe('no shared ALPN protocol: the client does not offer "http/1.1"');
    expect(await shake(running, ['-alpn', 'http/1.1'])).toMatchObject({ alpn: 'http/1.1' });
  });

  it('client-cert-demanded ends in an alert', async () => {
    const running = await served();
    running.server.presentTls('client-cert-demanded');
    // In TLS 1.3 the client is done before the server finds out; it reads the alert afterwards.
    expect(await shake(running, ['-tls1_2'])).toMatchObject({ ok: false, alert: 'handshake failure' });
    const { reason } = await running.events.next(named('handshake.failed'));
    expect(reason).toBe('the client shows no certificate, and one is demanded');
  });

  it('asks for a client certificate where a policy is, and else not', async () => {
    expect((await shake(await served())).text).toContain('No client certificate CA names sent');
    const { authPolicy } = await import('../../src/auth/policy.ts');
    const asked = await shake(await served({ policy: () => authPolicy() }));
    expect(asked.text).toMatch(/Acceptable client certificate CA names\nO ?= ?cluster\.local/);
    expect(asked.ok).toBe(true);
  });

  it.each(tlsPresets)('%s ends with ok', async (preset) => {
    const running = await served();
    running.server.presentTls(preset);
    await shake(running);
    running.server.presentTls('ok');
    expect(await shake(running)).toMatchObject({ ok: true, alpn: 'h2', verifyError: undefined });
  });

  it('has a manner for each preset, and no other', () => {
    expect(Object.keys(tlsManners).toSorted()).toEqual(['ok', ...tlsPresets].toSorted());
  });
});

describe('what changes TLS leaves open connections alone', () => {
  async function open(running: Served): Promise<() => Promise<void>> {
    const call = (await running.connect('TLS')).stream('delta');
    const { requests } = await running.streams.opened.next();
    return async () => {
      call.send({ typeUrl: clusterType });
      expect(await requests.next()).toMatchObject({ typeUrl: clusterType });
    };
  }

  it('a preset', async () => {
    const running = await served();
    const lives = await open(running);
    running.server.presentTls('expired');
    expect((await shake(running)).ok).toBe(false);
    await lives();
  });

  it('a certificate that expires, before and after its end', async () => {
    const clock = manualClock(new Date(Date.now() - 3_600_000));
    const running = await served({ clock });
    running.server.expireCertificate(3_600_000 + 60_000);
    const lives = await open(running);
    expect((await shake(running)).ok).toBe(true);
    running.server.expireCertificate(60_000);
    expect(await shake(running)).toMatchObject({ ok: false, verifyError: 'certificate has expired' });
    await lives();
    running.server.presentTls('ok');
    expect((await shake(running)).ok).toBe(true);
  });

  it('a certificate ends at the full second after', async () => {
    const clock = manualClock(new Date('2040-01-01T00:00:00.001Z'));
    const running = await served({ clock });
    running.server.expireCertificate(1500);
    const { text } = await shake(running);
    expect(text).toContain('NotAfter: Jan  1 00:00:02 2040 GMT');
  });
});

describe('a new root', () => {
  it('signs from now on, cuts TLS connections and no others, and the old one can still be had', async () => {
    const make = () => createAuthority({ clock: systemClock });
    const authority = rotatingAuthority(make(), make);
    const running = await served({ authority });
    const old = await running.server.rootCertificatePem();
    const secure = await running.connect('TLS');
    const plain = (await running.connect()).stream('sotw');
    const { requests } = await running.streams.opened.next();
    authority.rotate();
    running.server.renewCertificate();
    await secure.closed;
    plain.send({ typeUrl: clusterType });
    expect(await requests.next()).toMatchObject({ typeUrl: clusterType });
    expect((await sClient(running.server.port, old)).ok).toBe(false);
    expect((await shake(running)).ok).toBe(true);
    expect(await authority.formerRootPems()).toEqual([old]);
    expect(await authority.rootPem()).not.toBe(old);
  });
});
