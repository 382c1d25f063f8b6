import type { StatValue } from '../envoy/index.ts';
import { isJsonObject } from '../envoy/index.ts';
import { quoted } from './evidence.ts';
import type { StatFact } from './fact.ts';
import { objectsOf } from './json-access.ts';
import type { InputText, ReadValue } from './reading.ts';
import { placedLines } from './reading.ts';
import { asJson } from './json-access.ts';
import type { SourcePosition } from '../errors.ts';

function stat(at: SourcePosition, name: string, value: StatValue): StatFact {
  return { fact: 'stat', ...quoted(at, `${name}: ${value}`), name, value };
}

/** `/stats` as text, a `name: value` a line. Histograms that hold nothing are left out. */
export function readStatsText(input: InputText): readonly StatFact[] {
  return placedLines(input).flatMap(({ at, line }) => {
    const match = /^([^\s:]\S*?): (.+)$/.exec(line.trim());
    if (!match || match[2] === 'No recorded values') return [];
    return [stat(at, match[1] ?? '', numberOr(match[2] ?? ''))];
  });
}

function numberOr(text: string): StatValue {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return text.replace(/^"(.*)"$/, '$1');
}

/** `/stats?format=json`: a list of names and values. */
export function readStatsJson({ value, positionOf }: ReadValue): readonly StatFact[] {
  const stats = isJsonObject(asJson(value)) ? objectsOf((asJson(value) as { stats?: never }).stats) : [];
  return stats.flatMap(({ name, value: found }, i) =>
    typeof name === 'string' && (typeof found === 'number' || typeof found === 'string')
      ? [stat(positionOf(['stats', i]), name, found)]
      : [],
  );
}

/** Labels that Envoy's default tags make of parts of a name, and where in the name they stand. */
const labelPlaces: readonly (readonly [label: string, after: string])[] = [
  ['envoy_cluster_name', 'cluster'],
  ['cluster_name', 'cluster'],
  ['envoy_http_conn_manager_prefix', 'http'],
  ['http_conn_manager_prefix', 'http'],
  ['envoy_rds_route_config', 'rds'],
  ['envoy_listener_address', 'listener'],
];

/** `/stats/prometheus`, of Envoy alone or merged by pilot-agent: `_` stands for whatever is no letter or digit. */
export function readPrometheus(input: InputText): readonly StatFact[] {
  return placedLines(input).flatMap(({ at, line }) => {
    const match = /^envoy_([A-Za-z0-9_:]+)(?:\{([^}]*)\})?\s+(-?[0-9.eE+]+)\s*$/.exec(line.trim());
    if (!match) return [];
    const [, name = '', labels = '', number = ''] = match;
    if (/_bucket$|_sum$/.test(name)) return [];
    const found = stat(at, withLabels(name, labels), Number(number));
    return [{ ...found, says: line.trim() }];
  });
}

function withLabels(name: string, labels: string): string {
  const values = new Map([...labels.matchAll(/([A-Za-z0-9_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', value = '']) => [key, value]));
  return labelPlaces.reduce((built, [label, after]) => {
    const value = values.get(label);
    return value === undefined ? built : built.replace(new RegExp(`(^|_)${after}_`), `$1${after}_${value.replaceAll('$', '$$$$')}_`);
  }, name);
}
