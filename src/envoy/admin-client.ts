import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import {
  parseAdminJson,
  parseClusters,
  parseInitDump,
  parseListeners,
  parseServerInfo,
  parseServerState,
  parseStats,
} from './admin-answers.ts';
import type { BoundAddress, ClusterStatus, ServerInfo, StatValue, UnreadyTargets } from './admin-answers.ts';
import type { ServerState } from './envoy-event.ts';
import { adminRequester } from './admin-request.ts';
import type { AdminAnswer, AdminRequester } from './admin-request.ts';
import { awaitServerState } from './await-state.ts';
import type { AwaitStateOptions } from './await-state.ts';
import type { JsonObject } from './json.ts';

export interface StatsOptions {
  /** A regular expression (RE2) on the name, matched anywhere in it. */
  readonly filter?: string;
  /** Only stats that were ever written to. */
  readonly usedOnly?: boolean;
}

export interface ConfigDumpOptions {
  /** One repeated field of the dump, e.g. `dynamic_listeners`. */
  readonly resource?: string;
  /** A field mask on the result. */
  readonly mask?: string;
  /** Also endpoints, which a dump leaves out otherwise. */
  readonly includeEds?: boolean;
}

/** Envoy's admin API. Every method fails with `envoy.unreachable`, or with `envoy.exited` once the process behind it has ended. */
export interface AdminClient {
  /** `http://host:port` or `unix:/path`. */
  readonly url: string;
  /** `/ready`: 200 `LIVE`, or 503 and the state. The body is trimmed. */
  ready(): Promise<AdminAnswer>;
  serverInfo(): Promise<ServerInfo>;
  /**
   * The server state. Asked of `/ready`, which tells the same as `/server_info` without its 120 KB of extensions.
   * @note not the gauge `server.state`, which lags behind by up to the stats flush interval (5 s).
   */
  state(): Promise<ServerState>;
  /** Waits until Envoy is in that state. Error `wait.timed-out` says where Envoy is instead, and what it waits for. */
  awaitState(state: ServerState, options?: AwaitStateOptions): Promise<void>;
  /** Stats by name. What Envoy does not have is absent, never zero. */
  stats(options?: StatsOptions): Promise<ReadonlyMap<string, StatValue>>;
  /** One numeric stat by its whole name, `undefined` if Envoy has none of that name. */
  stat(name: string): Promise<number | undefined>;
  /** `/config_dump`, as Envoy gives it. */
  configDump(options?: ConfigDumpOptions): Promise<JsonObject>;
  /** Init managers that still wait, each with what it waits for. */
  initDump(): Promise<readonly UnreadyTargets[]>;
  clusters(): Promise<readonly ClusterStatus[]>;
  /** Listener name → bound address (the real port where the configuration said 0). */
  listeners(): Promise<ReadonlyMap<string, BoundAddress>>;
  /** `POST /quitquitquit`. */
  quit(): Promise<void>;
  /** Any path, whatever the status code. */
  get(path: string): Promise<AdminAnswer>;
  /** Any path by POST, whatever the status code. */
  post(path: string): Promise<AdminAnswer>;
}

export interface AdminClientOptions {
  /** How long one request may take; default 3000 ms. */
  readonly timeoutMs?: number;
  /** Aborted when Envoy has ended; its reason is what pending and later calls fail with. */
  readonly ended?: AbortSignal;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A client of the admin API at `http://host:port` or `unix:/path`. Nothing is sent before the first call. */
export function adminClient(url: string, options: AdminClientOptions = {}): AdminClient {
  const { clock = systemClock, ended, timeoutMs } = options;
  const send = adminRequester({ url, ...(ended ? { ended } : {}), ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  const json = async (path: string): Promise<JsonObject> => parseAdminJson(path, await body(send, path));
  const client: AdminClient = {
    url,
    async ready() {
      const { code, body } = await send('GET', '/ready');
      return { code, body: body.trim() };
    },
    serverInfo: async () => parseServerInfo(await json('/server_info')),
    state: async () => parseServerState('/ready', (await client.ready()).body),
    awaitState: (state, wait = {}) => awaitServerState(client, state, { clock, ...(ended ? { ended } : {}), ...wait }),
    stats: async ({ filter, usedOnly } = {}) => parseStats(await body(send, withQuery('/stats', { filter, usedonly: usedOnly }))),
    async stat(name) {
      const value = (await client.stats({ filter: `^${escapeRe2(name)}$` })).get(name);
      return typeof value === 'number' ? value : undefined;
    },
    configDump: ({ resource, mask, includeEds } = {}) => json(withQuery('/config_dump', { resource, mask, include_eds: includeEds })),
    initDump: async () => parseInitDump(await json('/init_dump')),
    clusters: async () => parseClusters(await json('/clusters?format=json')),
    listeners: async () => parseListeners(await json('/listeners?format=json')),
    quit: async () => void (await send('POST', '/quitquitquit')),
    get: (path) => send('GET', path),
    post: (path) => send('POST', path),
  };
  return client;
}

async function body(send: AdminRequester, path: string): Promise<string> {
  const answer = await send('GET', path);
  if (answer.code === 200) return answer.body;
  throw new FakeIstiodError(
    'envoy.unreachable',
    `Envoy's admin API answers ${path} with ${answer.code}: ${answer.body.trim().slice(0, 200)}`,
    { remedy: 'Is that the admin address of an Envoy, and not one of its listeners?' },
  );
}

/** A flag that is true becomes a bare key, as Envoy reads them. */
function withQuery(path: string, query: Readonly<Record<string, string | boolean | undefined>>): string {
  const parts = Object.entries(query).flatMap(([key, value]) => {
    if (value === undefined || value === false) return [];
    return [value === true ? key : `${key}=${encodeURIComponent(value)}`];
  });
  return parts.length === 0 ? path : `${path}?${parts.join('&')}`;
}

/** A text as the regular expression (RE2) that matches just it, for a stats filter. */
export function escapeRe2(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
