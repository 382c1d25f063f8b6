import type { Clock } from '../clock.ts';
import { isJsonObject, type AdminClient, type Json, type JsonObject } from '../envoy/index.ts';
import { pause } from '../envoy/pause.ts';

/** What the lab's files say of an Envoy that runs. */
export interface LonelyEnvoy {
  /** `id`, `cluster` and `metadata` of its node, from `/config_dump`. */
  readonly node: JsonObject;
  readonly readyCode: number;
  readonly readyBody: string;
  /** Undefined if Envoy has no such stat yet. */
  readonly connectedState: number | undefined;
}

const patienceMs = 15_000;
const pauseMs = 50;

/** Looks at an Envoy without an istiod, once it has tried to reach one: until then, and while it tries, it tells something else. */
export async function lookAtLonely(admin: AdminClient, clock: Clock, signal?: AbortSignal): Promise<LonelyEnvoy> {
  const beganMs = clock.now();
  for (;;) {
    const look = await lookOnce(admin);
    const isSettled = look.attempts > 0 && look.connectedState === 0;
    if (isSettled || signal?.aborted || clock.now() - beganMs > patienceMs) return look;
    await pause(clock, pauseMs, signal);
  }
}

async function lookOnce(admin: AdminClient): Promise<LonelyEnvoy & { readonly attempts: number }> {
  const { code, body } = await admin.ready();
  const stats = await admin.stats({ filter: '^(control_plane\\.connected_state|cluster_manager\\.cds\\.update_attempt)$' });
  const connected = stats.get('control_plane.connected_state');
  return {
    node: nodeIn(await admin.configDump()),
    readyCode: code,
    readyBody: body,
    connectedState: typeof connected === 'number' ? connected : undefined,
    attempts: Number(stats.get('cluster_manager.cds.update_attempt') ?? 0),
  };
}

function nodeIn(dump: JsonObject): JsonObject {
  const configs = dump['configs'];
  const found = Array.isArray(configs) ? configs.map((config: Json) => nodeOf(config)).find(Boolean) : undefined;
  const { id = '', cluster = '', metadata = {} } = found ?? {};
  return { id, cluster, metadata: isJsonObject(metadata) ? inOrder(metadata) : metadata };
}

/** Envoy's own order of keys is another one each time. */
function inOrder(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function nodeOf(config: Json): JsonObject | undefined {
  const bootstrap = isJsonObject(config) ? config['bootstrap'] : undefined;
  const node = isJsonObject(bootstrap) ? bootstrap['node'] : undefined;
  return isJsonObject(node) ? node : undefined;
}
