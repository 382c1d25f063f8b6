import { isJsonObject, serverStates } from '../envoy/index.ts';
import type { Json } from '../envoy/index.ts';
import { quoted } from './evidence.ts';
import type { Fact, StatFact, StateFact } from './fact.ts';
import { asJson, field, fieldAt, listOf, objectsOf, textOf } from './json-access.ts';
import type { InputText, ReadValue } from './reading.ts';
import { placedLines } from './reading.ts';

const states = serverStates.join('|');

/** `/ready`: the state's word, with a status code or a whole HTTP answer before it; also the lab's `ready_body=`. */
export function readReady(input: InputText): readonly Fact[] {
  return placedLines(input).flatMap(({ at, line }): Fact[] => {
    const state = new RegExp(`^(?:\\d{3}\\s+|ready_body=)?(${states})\\s*$`).exec(line.trim())?.[1];
    const connected = /^connected_state=(\d+)/.exec(line.trim())?.[1];
    if (connected !== undefined) return [statOf(at, 'control_plane.connected_state', Number(connected))];
    return state === undefined ? [] : [{ fact: 'state', ...quoted(at, line), state: stateOf(state) }];
  });
}

function statOf(at: { readonly file: string }, name: string, value: number): StatFact {
  return { fact: 'stat', ...quoted(at, `${name}: ${value}`), name, value };
}

function stateOf(name: string): StateFact['state'] {
  return serverStates.find((state) => state === name) ?? 'PRE_INITIALIZING';
}

/** Whether a text is an answer of `/ready`. */
export function looksLikeReady(text: string): boolean {
  const lines = text.split('\n').map((line) => line.trim());
  if (lines.length > 40) return false;
  return lines.some((line) => new RegExp(`^(\\d{3}\\s+|ready_body=)?(${states})$`).test(line));
}

/** `/server_info`. LIVE is the enum's zero, which JSON may leave out. */
export function readServerInfo({ value, positionOf }: ReadValue): readonly Fact[] {
  const state = textOf(field(asJson(value), 'state')) ?? 'LIVE';
  return [{ fact: 'state', ...quoted(positionOf(['state']), `state: ${state}`), state: stateOf(state) }];
}

/** `/init_dump`. */
export function readInitDump({ value, positionOf }: ReadValue): readonly Fact[] {
  const dumps = objectsOf(field(asJson(value), 'unready_targets_dumps'));
  const waits = dumps.flatMap((dump, i) =>
    listOf(field(dump, 'target_names')).flatMap((target): Fact[] => {
      const [manager, name] = [textOf(dump['name']) ?? '', textOf(target) ?? ''];
      return [{ fact: 'wait', ...quoted(positionOf(['unready_targets_dumps', i]), `${manager} waits for ${name}`), manager, target: name }];
    }),
  );
  return waits.length > 0 ? waits : [{ fact: 'no-wait', ...quoted(positionOf([]), 'nothing that waits is listed') }];
}

/** `/clusters?format=json`: the counters of hosts count as stats of their cluster. */
export function readClustersJson({ value, positionOf }: ReadValue): readonly Fact[] {
  return objectsOf(field(asJson(value), 'cluster_statuses')).flatMap((status, i) => {
    const name = textOf(status['name']) ?? '';
    const hosts = objectsOf(field(status, 'host_statuses'));
    const at = positionOf(['cluster_statuses', i]);
    return hostStats(at, name, hosts.length, (counter) =>
      hosts
        .flatMap((host) => objectsOf(host['stats']))
        .filter((one) => one['name'] === counter)
        .map((one) => Number(one['value'] ?? 0)),
    );
  });
}

/** `/clusters` as text: `cluster::address::counter::value`. */
export function readClustersText(input: InputText): readonly Fact[] {
  const clusters = new Map<string, { at: { file: string; line?: number }; hosts: Set<string>; counters: Map<string, number[]> }>();
  for (const { at, line } of placedLines(input)) {
    const [name, host, counter, value] = line.trim().split('::');
    if (name === undefined || host === undefined || !line.includes('::')) continue;
    const cluster = clusters.get(name) ?? { at, hosts: new Set<string>(), counters: new Map<string, number[]>() };
    clusters.set(name, cluster);
    if (counter === undefined || value === undefined || !/[:/]/.test(host)) continue;
    cluster.hosts.add(host);
    cluster.counters.set(counter, [...(cluster.counters.get(counter) ?? []), Number(value)]);
  }
  return [...clusters].flatMap(([name, { at, hosts, counters }]) =>
    hostStats(at, name, hosts.size, (counter) => counters.get(counter) ?? []),
  );
}

function hostStats(
  at: { readonly file: string },
  cluster: string,
  hosts: number,
  values: (counter: string) => readonly number[],
): StatFact[] {
  const sums = (['cx_connect_fail', 'cx_total'] as const).flatMap((counter) => {
    const found = values(counter);
    return found.length === 0
      ? []
      : [
          statOf(
            at,
            `cluster.${cluster}.upstream_${counter}`,
            found.reduce((sum, one) => sum + one, 0),
          ),
        ];
  });
  return [statOf(at, `cluster.${cluster}.membership_total`, hosts), ...sums];
}

/** Whether JSON is one of the admin API's answers, by its keys. */
export function adminKindOf(value: Json): 'server_info' | 'init_dump' | 'clusters' | 'listeners' | 'stats' | undefined {
  if (!isJsonObject(value)) return undefined;
  if (Object.keys(value).length === 0 || field(value, 'unready_targets_dumps') !== undefined) return 'init_dump';
  if (field(value, 'cluster_statuses') !== undefined) return 'clusters';
  if (field(value, 'listener_statuses') !== undefined) return 'listeners';
  if (Array.isArray(value['stats'])) return 'stats';
  if (
    typeof value['version'] === 'string' &&
    (field(value, 'command_line_options') !== undefined || fieldAt(value, 'hot_restart_version') !== undefined || 'state' in value)
  )
    return 'server_info';
  return undefined;
}
