import { beforeAll, describe, expect, it } from 'vitest';
import { bootstrap, startEnvoy } from '../../src/envoy/index.ts';
import type { EnvoyBinary, EnvoyProcess } from '../../src/envoy/index.ts';
import { TypeUrl } from '../../src/protocol/resource-type.ts';
import type { StreamPort } from '../../src/session/stream-port.ts';
import type { Variant } from '../../src/protocol/request.ts';
import { Arrivals } from '../wire/arrivals.ts';
import { response } from '../wire/recorded-streams.ts';
import { afterwards, named, prepared, served, type Served } from '../wire/served.ts';
import { realEnvoy } from './real-envoy.ts';

let binary: EnvoyBinary;
beforeAll(async () => {
  binary = await realEnvoy();
}, 300_000);

interface RunningEnvoy extends EnvoyProcess {
  readonly lines: Arrivals<string>;
}

/** An Envoy whose control plane is `server`. */
async function envoyAt({ server }: Served, variant: Variant, over: 'plaintext' | 'TLS', rootCert?: string): Promise<RunningEnvoy> {
  const lines = new Arrivals<string>();
  const tls = over === 'TLS' ? { tls: { rootCert: rootCert ?? (await server.rootCertificatePem()) } } : {};
  const boot = bootstrap({ host: '127.0.0.1', port: server.port, variant, ...tls });
  const envoy = await startEnvoy({ bootstrap: boot, envoy: binary, onLog: (line) => lines.push(line), args: ['-l', 'debug'] });
  afterwards(() => envoy.stop());
  return Object.assign(envoy, { lines });
}

/** Answers CDS and LDS of the next stream with nothing, which makes Envoy LIVE. */
async function answerEmpty({ streams }: Served, variant: Variant): Promise<StreamPort> {
  const { port, requests } = await streams.opened.next();
  for (const typeUrl of [TypeUrl.cluster, TypeUrl.listener]) {
    await requests.next((request) => request.typeUrl === typeUrl);
    port.send(response(variant, { typeUrl, nonce: `nonce of ${typeUrl}` }));
  }
  return port;
}

const both = (['sotw', 'delta'] as const).flatMap((variant) => (['plaintext', 'TLS'] as const).map((over) => ({ variant, over })));

describe.each(both)('a real Envoy, $variant over $over', ({ variant, over }) => {
  it('logs a status text as it was meant', async () => {
    const running = await served();
    running.streams.refusal = { code: 16, message: 'authentication failure: "no" {identities} matched [a/b]' };
    const { lines } = await envoyAt(running, variant, over);
    const line = await lines.next((text) => text.includes('gRPC config stream') && text.includes('authentication'));
    expect(line).toContain('16, authentication failure: "no" {identities} matched [a/b]');
  });

  it('is LIVE when it is answered, told when the server stops, and comes back', async () => {
    const running = await served();
    const { admin, lines } = await envoyAt(running, variant, over);
    expect(await admin.state()).toBe('PRE_INITIALIZING');
    await answerEmpty(running, variant);
    await admin.awaitState('LIVE');
    await running.server.stop();
    await lines.next((text) => text.includes('14, server is shutting down'));
    await running.server.start();
    const { requests } = await running.streams.opened.next();
    await requests.next((request) => request.typeUrl === TypeUrl.cluster);
    expect(await admin.state()).toBe('LIVE');
  });

  it('waits while the server is silent, and is LIVE when the silence ends', async () => {
    const running = prepared();
    running.server.silence();
    await running.server.start();
    const { admin } = await envoyAt(running, variant, over);
    await running.events.next((event) => event.event === 'connection.accepted' && event.protocol === 'silent');
    expect(await admin.state()).toBe('PRE_INITIALIZING');
    expect(running.streams.opened.all).toEqual([]);
    running.server.unsilence();
    await answerEmpty(running, variant);
    await admin.awaitState('LIVE');
  });
});

it('an Envoy that trusts another root is refused, and the server says why', async () => {
  const running = await served();
  const stranger = await served();
  await envoyAt(running, 'delta', 'TLS', await stranger.server.rootCertificatePem());
  const { reason } = await running.events.next(named('handshake.failed'));
  expect(reason).toBe('the client does not trust our root certificate (TLS alert "unknown ca")');
});
