import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeIstiodError } from '../errors.ts';
import type { AgentLog } from './agent-log.ts';
import { answerAppProbe, type AppProber } from './app-probers.ts';
import type { MetricsText } from './merged-metrics.ts';
import type { NameTable } from './name-table.ts';

export interface StatusServerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** Why the pod is not ready; undefined if it is. */
  trouble(): Promise<string | undefined>;
  metrics(query: string, accept: string | undefined): Promise<MetricsText>;
  /** The agent is to go, without draining. */
  quit(): void;
  drain(): void;
  nameTable(): NameTable | undefined;
  readonly appProbers: Readonly<Record<string, AppProber>>;
  /** Where the application listens. */
  readonly appHost: string;
  readonly log: AgentLog;
}

/** The HTTP of the agent, pilot-agent's port 15020 (istio pilot/cmd/pilot-agent/status/server.go). */
export interface StatusServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens it. Errors `port.in-use`, `port.forbidden`, `options.invalid`. */
export async function openStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const page = new StatusPages(options);
  const server = createServer((request, response) => void page.answer(request, response));
  await listen(server, options);
  const { port } = server.address() as AddressInfo;
  page.port = port;
  options.log('info', 'default', `Opening status port ${port}`);
  return {
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, { host, port }: StatusServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, resolve);
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): FakeIstiodError {
  const place = `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return new FakeIstiodError('port.in-use', `the status port ${place} is in use already`, {
      remedy: 'Stop what listens there, or choose another port with --status-port (0 takes any free one)',
      cause: error,
    });
  }
  if (error.code === 'EACCES') return new FakeIstiodError('port.forbidden', `not allowed to listen on ${place}`, { cause: error });
  return new FakeIstiodError('options.invalid', `cannot listen on ${place}: ${error.message}`, {
    remedy: 'Choose an address of this machine with --bind, e.g. 127.0.0.1',
    cause: error,
  });
}

class StatusPages {
  port = 0;
  readonly #options: StatusServerOptions;
  #wasReady = false;

  constructor(options: StatusServerOptions) {
    this.#options = options;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#page(request, response);
    } catch (error) {
      send(response, 500, error instanceof Error ? error.message : String(error));
    }
  }

  #page(request: IncomingMessage, response: ServerResponse): Promise<void> | void {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    if (path === '/healthz/ready') return this.#ready(response);
    if (path === '/metrics' || path === '/stats/prometheus') return this.#metrics(request, response, query);
    if (path === '/quitquitquit') return this.#command(request, response, path, 'notifying pilot-agent to exit', this.#options.quit);
    if (path === '/drain') return this.#command(request, response, path, 'starting drain', this.#options.drain);
    if (path === '/debug/ndsz') return this.#names(request, response);
    if (path.startsWith('/app-health/') || path.startsWith('/app-lifecycle/')) return this.#probe(path, request, response);
    send(response, 404, '404 page not found\n');
  }

  /** @note No body, either way: the reason is for the log alone. */
  async #ready(response: ServerResponse): Promise<void> {
    const { log } = this.#options;
    const trouble = await this.#options.trouble();
    if (trouble !== undefined) log('warn', 'default', `Envoy proxy is NOT ready: ${trouble}`);
    else if (!this.#wasReady) log('info', 'default', 'Envoy proxy is ready');
    this.#wasReady = trouble === undefined;
    response.writeHead(trouble === undefined ? 200 : 503).end();
  }

  async #metrics(request: IncomingMessage, response: ServerResponse, query: string): Promise<void> {
    const { contentType, body } = await this.#options.metrics(query, request.headers.accept);
    send(response, 200, body, contentType);
  }

  #command(request: IncomingMessage, response: ServerResponse, path: string, what: string, carryOut: () => void): void {
    if (!isLocal(request)) return send(response, 403, 'Only requests from localhost are allowed\n');
    if (request.method !== 'POST') return send(response, 405, 'Method Not Allowed\n');
    send(response, 200, 'OK');
    this.#options.log('info', 'default', `handling ${path}, ${what}`);
    carryOut();
  }

  #names(request: IncomingMessage, response: ServerResponse): void {
    if (!isLocal(request)) return send(response, 403, 'Only requests from localhost are allowed\n');
    const table = this.#options.nameTable();
    if (!table) return send(response, 404, '{}');
    send(response, 200, JSON.stringify(table), 'application/json');
  }

  async #probe(path: string, { headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { appProbers, appHost, log } = this.#options;
    const request = { path, headers, statusPort: this.port, host: appHost };
    const { code, body } = await answerAppProbe(appProbers, request, (level, text) => log(level, 'probes', text));
    response.writeHead(code).end(body);
  }
}

function send(response: ServerResponse, code: number, body: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(code, { 'content-type': contentType }).end(body);
}

function isLocal({ socket }: IncomingMessage): boolean {
  return isLocalAddress(socket.remoteAddress);
}

/** Whether a caller is on this machine. */
export function isLocalAddress(address: string | undefined): boolean {
  const bare = (address ?? '').replace(/^::ffff:/, '');
  return bare === '::1' || bare.startsWith('127.');
}
