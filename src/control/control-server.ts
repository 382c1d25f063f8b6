import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { isLoopback } from './caller-check.ts';
import type { ControlledIstiod } from './face.ts';

/** Where and for whom the control API is served. */
export interface ControlOptions {
  /** Default 0: a free one. */
  readonly port?: number;
  /** An address to listen on; default 127.0.0.1. */
  readonly bind?: string;
  /** What callers have to bring as `Authorization: Bearer …`. Default: nothing on loopback, elsewhere one that is made up. */
  readonly token?: string;
}

/** Where the control API of a running fake istiod is. */
export interface Control {
  /** For callers on this machine, e.g. `http://127.0.0.1:15080`. */
  readonly url: string;
  /** Callers have to bring it; undefined if they have to bring nothing. */
  readonly token: string | undefined;
}

export interface ControlServer extends Control {
  /** Ends streams of events and waits, then listening and every connection. Idempotent. */
  stop(): Promise<void>;
}

export interface ControlServerOptions extends ControlOptions {
  readonly clock: Clock;
  /** The largest body, in bytes; default 16 MiB. */
  readonly maxInputBytes?: number;
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

/** When the server stops, last answers leave as long as one of them does in such a time. */
const lastWordsMs = 250;

/**
 * Opens the port of the control API. What answers there is loaded with the first request.
 *
 * @throws FakeIstiodError `port.in-use`, `port.forbidden`, `options.invalid`
 */
export async function startControlServer(istiod: ControlledIstiod, options: ControlServerOptions): Promise<ControlServer> {
  const { bind = '127.0.0.1', port = 0 } = options;
  const token = tokenFor(bind, options.token);
  let app: Promise<LoadedApp> | undefined;
  const load = (): Promise<LoadedApp> => (app ??= loadApp(istiod, token, options));
  const server = createServer((incoming, outgoing) => {
    load().then(
      ({ listener }) => void listener(incoming, outgoing),
      () => outgoing.writeHead(500).end(),
    );
  });
  await listening(server, bind, port);
  const { port: bound } = server.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  return {
    url: `http://${urlHost(bind)}:${bound}`,
    token,
    stop: () => (stopped ??= stop(server, app)),
  };
}

interface LoadedApp {
  readonly listener: Listener;
  end(): void;
}

/** Hono, the schemas of all operations and what reads bodies cost nothing until somebody asks. */
async function loadApp(istiod: ControlledIstiod, token: string | undefined, options: ControlServerOptions): Promise<LoadedApp> {
  const [{ getRequestListener }, { controlApp }, { EventFeed }, { defaultMaxInputBytes }] = await Promise.all([
    import('@hono/node-server'),
    import('./app.ts'),
    import('./event-feed.ts'),
    import('../protobuf/document-text.ts'),
  ]);
  const { clock, maxInputBytes = defaultMaxInputBytes } = options;
  const feed = new EventFeed(istiod.timeline, clock);
  const answer = controlApp({ istiod, clock, feed, token, maxInputBytes });
  return {
    listener: getRequestListener(answer, { overrideGlobalObjects: false }),
    end: () => feed.end('the fake istiod was stopped'),
  };
}

/** @note An empty token is an error and no token at all: it comes of an environment variable that was not set. */
function tokenFor(bind: string, given: string | undefined): string | undefined {
  if (given === undefined) return isLoopback(bind) ? undefined : randomBytes(24).toString('base64url');
  if (/^[\x21-\x7e]+$/.test(given)) return given;
  throw new FakeIstiodError(
    'options.invalid',
    given === '' ? 'the token of the control API is empty' : 'the token of the control API has blanks or letters that no header can hold',
    {
      remedy: 'Give one of letters, digits and punctuation, or leave it out',
    },
  );
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port)));
    server.listen({ host, port }, resolve);
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): FakeIstiodError {
  const address = `${urlHost(host)}:${port}`;
  const details = { cause: error };
  switch (error.code) {
    case 'EADDRINUSE':
      return new FakeIstiodError('port.in-use', `${address} is in use already`, {
        remedy:
          'Stop what listens there, or choose another port with `--control-port`, or the option `control.port` (0 takes any free one)',
        ...details,
      });
    case 'EACCES':
    case 'EPERM':
      return new FakeIstiodError('port.forbidden', `not allowed to listen on ${address}`, {
        remedy: 'Choose a port above 1023 with `--control-port`, or the option `control.port`',
        ...details,
      });
    default:
      return new FakeIstiodError('options.invalid', `the control API cannot listen on ${address}: ${error.message}`, {
        remedy: 'Choose an address of this machine with `--control-bind`, or the option `control.bind`, e.g. 127.0.0.1',
        ...details,
      });
  }
}

/** How callers on this machine write the address. */
function urlHost(bind: string): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bind] ?? bind;
  return reachable.includes(':') ? `[${reachable}]` : reachable;
}

async function stop(server: Server, app: Promise<LoadedApp> | undefined): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const loaded = await app?.catch(() => undefined);
  loaded?.end();
  const callOff = cutOnceNothingMoves(server);
  await closed;
  callOff();
}

/** However many readers there are and however slow the machine, all hear the last word but those who do not listen. Returns how to call it off. */
function cutOnceNothingMoves(server: Server): () => void {
  let open = Infinity;
  const look = (): void => {
    server.getConnections((error, left) => {
      if (error !== null || left >= open) return server.closeAllConnections();
      open = left;
      timer = setTimeout(look, lastWordsMs);
    });
  };
  let timer = setTimeout(look, lastWordsMs);
  return () => clearTimeout(timer);
}
