import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startFakeIstiod } from '../../src/index.ts';
import { controlledIstiod, problemOf } from './controlled.ts';

/** As a browser would send it: `fetch` does not let a program say Host or Origin. */
function statusFor(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

describe('Who may use the control API', () => {
  it('is, on loopback, whoever runs on this machine, but no page of somebody else in its browser', async () => {
    const { url } = await controlledIstiod();
    const { host } = new URL(url);
    const port = host.split(':')[1] ?? '';
    const cases: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
      [{}, 200],
      [{ host: `localhost:${port}` }, 200],
      [{ host: `istiod.localhost:${port}` }, 200],
      [{ host: `[::1]:${port}` }, 200],
      [{ origin: `http://${host}` }, 200],
      [{ 'sec-fetch-site': 'same-origin' }, 200],
      [{ host: 'evil.example' }, 403],
      [{ host: `localhost.evil.example:${port}` }, 403],
      [{ origin: 'http://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: 'http://localhost:1' }, 403],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
    ];
    for (const [headers, status] of cases) expect([headers, await statusFor(`${url}/state`, headers)]).toEqual([headers, status]);
    for (const path of ['/', '/nowhere', '/openapi.json']) expect(await statusFor(`${url}${path}`, { host: 'evil.example' })).toBe(403);
  });

  it('is, elsewhere than on loopback, who has the token, which is made up if none is given', async () => {
    const { istiod, url } = await controlledIstiod({ control: { bind: '0.0.0.0' } });
    const token = istiod.control?.token ?? '';
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${token}`, `Bearer ${token}x`]) {
      expect(await problemOf(`${url}/state`, { headers: { authorization } })).toMatchObject({
        status: 401,
        code: 'request.unauthenticated',
      });
    }
    expect((await fetch(`${url}/state`)).headers.get('www-authenticate')).toBe('Bearer');
    expect(await statusFor(`${url}/state`, { authorization: `Bearer ${token}`, host: 'istiod:15080' })).toBe(200);
    expect(await statusFor(`${url}/nowhere`, {})).toBe(401);
    // These tell nothing of what the server does: a container's health check has no token.
    for (const path of ['/', '/health', '/openapi.json']) expect([path, await statusFor(`${url}${path}`, {})]).toEqual([path, 200]);
  });

  it('is, with a token of its own, who has that one, on loopback, too', async () => {
    const { client, url } = await controlledIstiod({ control: { token: 'lab' } });
    expect(await client.call('GET /version', {})).toMatchObject({ name: 'fake-istiod' });
    expect(await statusFor(`${url}/version`, {})).toBe(401);
  });

  it('is nobody if the token cannot be one', async () => {
    for (const token of ['', 'with blank']) {
      await expect(startFakeIstiod({ control: { token } })).rejects.toMatchObject({ code: 'options.invalid' });
    }
  });

  it('is told if the port is taken, and the xDS server is gone then', async () => {
    const { url } = await controlledIstiod();
    const port = Number(new URL(url).port);
    const events: string[] = [];
    const second = startFakeIstiod({ control: { port }, onEvent: ({ event }) => void events.push(event) });
    await expect(second).rejects.toMatchObject({ code: 'port.in-use', message: expect.stringContaining('--control-port') });
    expect(events).toEqual(expect.arrayContaining(['server.started', 'server.stopped']));
    await expect(startFakeIstiod({ control: { bind: '203.0.113.1' } })).rejects.toMatchObject({
      code: 'options.invalid',
      message: expect.stringContaining('--control-bind'),
    });
  });
});
