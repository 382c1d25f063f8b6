import { FakeIstiodError } from '../errors.ts';
import { parseEnvoyVersion } from './envoy-binary.ts';
import type { ServerState } from './envoy-event.ts';
import { isJsonObject } from './json.ts';
import type { Json, JsonObject } from './json.ts';

/** The server states in the order in which Envoy goes through them, spelled as `/server_info` and `/ready` spell them. */
export const serverStates = ['PRE_INITIALIZING', 'INITIALIZING', 'LIVE', 'DRAINING'] as const satisfies readonly ServerState[];

/** `/server_info`. */
export interface ServerInfo {
  readonly state: ServerState;
  /** e.g. `1.40.0`. */
  readonly version: string;
  /** `node.id` of the bootstrap, empty where it has none. */
  readonly nodeId: string;
  /** The whole answer. */
  readonly raw: JsonObject;
}

/** A stat: a number (counters, gauges), or text (text readouts, and histograms in Envoy's one-line form). */
export type StatValue = number | string;

/** Where a listener is bound. */
export type BoundAddress = { readonly host: string; readonly port: number } | { readonly pipe: string };

/** One host of a cluster, of `/clusters`. */
export interface ClusterHost {
  readonly address: BoundAddress | undefined;
  /** `eds_health_status`, e.g. `HEALTHY`. */
  readonly health: string;
}

/** One cluster of `/clusters`. */
export interface ClusterStatus {
  readonly name: string;
  /** Whether it came over xDS. */
  readonly addedViaApi: boolean;
  readonly hosts: readonly ClusterHost[];
}

/** One init manager of `/init_dump` with the targets that it still waits for. */
export interface UnreadyTargets {
  readonly name: string;
  readonly targets: readonly string[];
}

/** Reads JSON of the admin API. Error `envoy.unreachable`: whoever answers is no Envoy. */
export function parseAdminJson(path: string, body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    if (isJsonObject(value)) return value;
  } catch {
    // falls through to the one error
  }
  throw new FakeIstiodError('envoy.unreachable', `the answer to ${path} is no JSON of an Envoy: ${body.slice(0, 80)}`, {
    remedy: 'Is this the admin address of an Envoy?',
  });
}

/** A state by its name. Error `envoy.unreachable`: whoever tells another is no Envoy. */
export function parseServerState(path: string, state: Json): ServerState {
  const known = serverStates.find((name) => name === state);
  if (known !== undefined) return known;
  throw new FakeIstiodError('envoy.unreachable', `the answer to ${path} is no server state: ${JSON.stringify(state).slice(0, 80)}`, {
    remedy: 'Is this the admin address of an Envoy?',
  });
}

/** Reads `/server_info`. */
export function parseServerInfo(raw: JsonObject): ServerInfo {
  // Envoy leaves out nothing here, but LIVE is the enum's zero and proto3 JSON may.
  const state = parseServerState('/server_info', raw['state'] ?? 'LIVE');
  const node = raw['node'];
  const version = text(raw['version']);
  return { state, version: parseEnvoyVersion(version) ?? version, nodeId: isJsonObject(node) ? text(node['id']) : '', raw };
}

/** Reads `/stats` in its text form, one `name: value` a line. A stat that Envoy does not have is not in the map. */
export function parseStats(body: string): ReadonlyMap<string, StatValue> {
  const stats = new Map<string, StatValue>();
  for (const line of body.split('\n')) {
    const colon = line.indexOf(': ');
    if (colon > 0) stats.set(line.slice(0, colon), statValue(line.slice(colon + 2)));
  }
  return stats;
}

function statValue(value: string): StatValue {
  if (/^-?\d+$/.test(value)) return Number(value);
  return /^".*"$/.test(value) ? value.slice(1, -1) : value;
}

/** Reads `/listeners?format=json`: listener name → where it is bound. */
export function parseListeners(raw: JsonObject): ReadonlyMap<string, BoundAddress> {
  const bound = new Map<string, BoundAddress>();
  for (const status of objects(raw['listener_statuses'])) {
    const address = parseAddress(status['local_address']);
    if (address) bound.set(text(status['name']), address);
  }
  return bound;
}

/** Reads `/clusters?format=json`. */
export function parseClusters(raw: JsonObject): readonly ClusterStatus[] {
  return objects(raw['cluster_statuses']).map((status) => ({
    name: text(status['name']),
    addedViaApi: status['added_via_api'] === true,
    hosts: objects(status['host_statuses']).map((host) => {
      const health = host['health_status'];
      return { address: parseAddress(host['address']), health: isJsonObject(health) ? text(health['eds_health_status']) : '' };
    }),
  }));
}

/** Reads `/init_dump`. Init managers that wait for nothing are left out. */
export function parseInitDump(raw: JsonObject): readonly UnreadyTargets[] {
  return objects(raw['unready_targets_dumps'])
    .map((dump) => ({ name: text(dump['name']), targets: list(dump['target_names']).map(text) }))
    .filter((dump) => dump.targets.length > 0);
}

function parseAddress(value: Json | undefined): BoundAddress | undefined {
  if (!isJsonObject(value)) return undefined;
  const { socket_address: socket, pipe } = value;
  if (isJsonObject(socket)) return { host: text(socket['address']), port: Number(socket['port_value'] ?? 0) };
  return isJsonObject(pipe) ? { pipe: text(pipe['path']) } : undefined;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return list(value).filter(isJsonObject);
}
