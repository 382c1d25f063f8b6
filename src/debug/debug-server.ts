import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeIstiodError } from '../errors.ts';
import type { handleRequest } from './debug-request.ts';
import type { DebuggedIstiod } from './face.ts';
import type { MetricFamily } from './prometheus-text.ts';

/** Where istiod's own HTTP is served. */
export interface DebugOptions {
  /** As istiod's 15014: `/metrics`, `/version`, `/debug`. 0: a free one. Default: not at all. */
  readonly monitoringPort?: number;
  /** As istiod's 8080: `/ready`, `/debug`. 0: a free one. Default: not at all. */
  readonly httpPort?: number;
  /** An address to listen on; default 127.0.0.1. Callers from elsewhere than loopback have to prove who they are. */
  readonly bind?: string;
  /** Told that a port could not be opened, in place of failing; what it throws is thrown. Default: it fails. */
  readonly onUnavailable?: (error: FakeIstiodError, port: DebugPort) => void;
}

/** Where istiod's own HTTP is; for callers on this machine, e.g. `http://127.0.0.1:15014`. */
export interface DebugAddresses {
  readonly monitoringUrl: string | undefined;
  readonly httpUrl: string | undefined;
}

export interface DebugServers extends DebugAddresses {
  /** Ends listening and every connection. Idempotent. */
  stop(): Promise<void>;
}

/** Which of istiod's two ports is asked. */
export type DebugPort = 'monitoring' | 'http';

const flags: Readonly<Record<DebugPort, string>> = { monitoring: '--monitoring-port', http: '--http-port' };
const optionNames: Readonly<Record<DebugPort, string>> = { monitoring: 'debug.monitoringPort', http: 'debug.httpPort' };

/** How long a request may take to come in, as with istiod. */
const requestTimeoutMs = 30_000;

/**
 * Opens istiod's own HTTP ports. What answers there is loaded with the first request.
 *
 * @param counted what was counted so far
 * @throws FakeIstiodError `port.in-use`, `port.forbidden`, `options.invalid`
 */
export async function startDebugServers(
  istiod: DebuggedIstiod,
  { monitoringPort, httpPort, bind = '127.0.0.1', onUnavailable = fail }: DebugOptions,
  counted: () => readonly MetricFamily[],
): Promise<DebugServers> {
  const servers: Server[] = [];
  const open = async (kind: DebugPort, port: number | undefined): Promise<string | undefined> => {
    if (port === undefined) return undefined;
    const server = createServer({ requestTimeout: requestTimeoutMs }, (incoming, outgoing) => void serve(kind, incoming, outgoing));
    const refused = await listening(server, kind, bind, port);
    if (refused) return void onUnavailable(refused, kind);
    servers.push(server);
    return `http://${urlHost(bind)}:${(server.address() as AddressInfo).port}`;
  };
  let handler: Promise<{ readonly handleRequest: typeof handleRequest }> | undefined;
  const serve = async (kind: DebugPort, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const answering = await (handler ??= import('./debug-request.ts'));
    await answering.handleRequest({ kind, istiod, counted }, incoming, outgoing);
  };
  const stop = async (): Promise<void> => void (await Promise.all(servers.splice(0).map(stopped)));
  try {
    return { monitoringUrl: await open('monitoring', monitoringPort), httpUrl: await open('http', httpPort), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function fail(error: FakeIstiodError): never {
  throw error;
}

/** Why it cannot listen; undefined once it does. */
function listening(server: Server, kind: DebugPort, host: string, port: number): Promise<FakeIstiodError | undefined> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(cannotListen(error, kind, host, port)));
    server.listen({ host, port }, () => resolve(undefined));
  });
}

function cannotListen(cause: NodeJS.ErrnoException, kind: DebugPort, host: string, port: number): FakeIstiodError {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const [flag, option] = [flags[kind], optionNames[kind]];
  switch (cause.code) {
    case 'EADDRINUSE':
      return new FakeIstiodError('port.in-use', `${address} is in use already`, {
        remedy: `Stop what listens there, or choose another port with \`${flag}\`, or the option \`${option}\` (0 takes any free one)`,
        cause,
      });
    case 'EACCES':
    case 'EPERM':
      return new FakeIstiodError('port.forbidden', `not allowed to listen on ${address}`, {
        remedy: `Choose a port above 1023 with \`${flag}\`, or the option \`${option}\``,
        cause,
      });
    default:
      return new FakeIstiodError('options.invalid', `istiod's HTTP cannot listen on ${address}: ${cause.message}`, {
        remedy: 'Choose an address of this machine with `--bind`, or the option `debug.bind`, e.g. 127.0.0.1',
        cause,
      });
  }
}

/** How callers on this machine write the address. */
function urlHost(bind: string): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bind] ?? bind;
  return reachable.includes(':') ? `[${reachable}]` : reachable;
}

function stopped(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}
