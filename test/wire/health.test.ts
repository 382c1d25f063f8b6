import { describe, expect, it } from 'vitest';
import type { RawCall } from './raw-client.ts';
import { served, type Served } from './served.ts';

const health = 'grpc.health.v1';
const ads = 'envoy.service.discovery.v3.AggregatedDiscoveryService';
const [serving, notServing, unknown] = [1, 2, 3];

async function ask({ connect }: Served, method: 'Check' | 'Watch', service: string): Promise<RawCall> {
  const call = (await connect()).call(`/${health}.Health/${method}`, `${health}.HealthCheckRequest`, `${health}.HealthCheckResponse`);
  call.send({ service });
  call.http2.end();
  return call;
}

describe('the health service', () => {
  it.each(['', ads])('says for "%s" whether the server is ready', async (service) => {
    let ready = false;
    const running = await served({ health: { isReady: () => ready } });
    const before = await ask(running, 'Check', service);
    expect(await before.next()).toMatchObject({ status: notServing });
    expect(await before.status).toMatchObject({ code: 0 });
    ready = true;
    expect(await (await ask(running, 'Check', service)).next()).toMatchObject({ status: serving });
  });

  it('does not read a request that no name of a service is as long as', async () => {
    const { connect } = await served();
    const call = (await connect()).call(`/${health}.Health/Check`, `${health}.HealthCheckRequest`, `${health}.HealthCheckResponse`);
    call.sendBytes(Buffer.alloc(100_000, Buffer.from([0x0a, 0x00])));
    expect(await call.status).toMatchObject({ code: 8, text: expect.stringContaining('100000 bytes') });
  });

  it('does not know other services', async () => {
    const running = await served();
    expect(await (await ask(running, 'Check', 'nope')).status).toMatchObject({ code: 5, text: 'unknown service' });
    expect(await (await ask(running, 'Watch', 'nope')).next()).toMatchObject({ status: unknown });
  });

  it('tells a watcher each change, once, and that the server stops', async () => {
    let ready = false;
    const listeners = new Set<() => void>();
    const change = (now: boolean): void => {
      ready = now;
      for (const listener of listeners) listener();
    };
    const onChange = (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    const running = await served({ health: { isReady: () => ready, onChange } });
    const call = await ask(running, 'Watch', ads);
    expect(await call.next()).toMatchObject({ status: notServing });
    change(true);
    change(true);
    change(false);
    expect(await call.next()).toMatchObject({ status: serving });
    expect(await call.next()).toMatchObject({ status: notServing });
    await running.server.stop();
    expect(await call.status).toMatchObject({ code: 14, text: 'server is shutting down' });
    expect(listeners.size).toBe(0);
  });

  it('refuses what is no request', async () => {
    const running = await served();
    const call = (await running.connect()).call(`/${health}.Health/Check`, `${health}.HealthCheckRequest`, `${health}.HealthCheckResponse`);
    call.sendBytes(Buffer.from([0x0a, 0x7f]));
    expect(await call.status).toMatchObject({ code: 13 });
  });
});
