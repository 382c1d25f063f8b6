import { onTestFinished } from 'vitest';
import { createXdsServer, type XdsServer } from '../../src/wire/xds-server.ts';
import type { XdsServerOptions } from '../../src/wire/xds-server-options.ts';
import type { ServerEvent } from '../../src/wire/server-event.ts';
import { Arrivals } from './arrivals.ts';
import { RawClient, type RawClientOptions } from './raw-client.ts';
import { RecordedStreams } from './recorded-streams.ts';

/** A running server with what it reports, and clients; all are gone after the test. */
export interface Served {
  readonly server: XdsServer;
  readonly streams: RecordedStreams;
  readonly events: Arrivals<ServerEvent>;
  /** A client of the main port. */
  connect(over?: 'plaintext' | 'TLS', options?: RawClientOptions): Promise<RawClient>;
}

/** Runs `cleanup` after the test. */
export function afterwards(cleanup: () => unknown): void {
  onTestFinished(async () => {
    await cleanup();
  });
}

/** A server that does not listen yet. */
export function prepared(options: Partial<XdsServerOptions> = {}): Served {
  const streams = new RecordedStreams();
  const events = new Arrivals<ServerEvent>();
  const server = createXdsServer({ streams, emit: (event) => events.push(event), ...options });
  afterwards(() => server.stop());
  return {
    server,
    streams,
    events,
    async connect(over = 'plaintext', clientOptions = {}) {
      const ca = over === 'TLS' ? { ca: await server.rootCertificatePem() } : {};
      const client = await RawClient.connect(`${over === 'TLS' ? 'https' : 'http'}://127.0.0.1:${server.port}`, {
        ...ca,
        ...clientOptions,
      });
      afterwards(() => client.close());
      return client;
    },
  };
}

/** A server that listens. */
export async function served(options: Partial<XdsServerOptions> = {}): Promise<Served> {
  const parts = prepared(options);
  await parts.server.start();
  return parts;
}

/** An event of one name. */
export function named<N extends ServerEvent['event']>(name: N): (event: ServerEvent) => event is Extract<ServerEvent, { event: N }> {
  return (event): event is Extract<ServerEvent, { event: N }> => event.event === name;
}
