import { shown, type JsonWalk } from './json-walk.ts';
import type { MessageShape } from './message-shape.ts';
import { isMapping } from './raw-form.ts';
import { scalarJson } from './scalar-json.ts';

type Reader = (walk: JsonWalk, value: unknown, shape: MessageShape) => unknown;

const readers: Readonly<Record<string, Reader>> = {
  'google.protobuf.Duration': durationJson,
  'google.protobuf.Timestamp': timestampJson,
  'google.protobuf.FieldMask': fieldMaskJson,
  'google.protobuf.Struct': structJson,
  'google.protobuf.Value': (walk, value) => plainJson(walk, value),
  'google.protobuf.ListValue': listJson,
  ...Object.fromEntries(
    ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map((name) => [
      `google.protobuf.${name}Value`,
      wrapperJson,
    ]),
  ),
};

/** How a well-known message reads its own JSON form (`10s`, a bare wrapper value); undefined for every other message. */
export function wellKnownReader(fullName: string): Reader | undefined {
  return readers[fullName];
}

/** @note Envoy reads a well-known message spelled out too (`{ seconds: 5 }`, `{ value: 5 }`), as older examples have it; so do we. */
function durationJson(walk: JsonWalk, value: unknown): unknown {
  if (isMapping(value)) {
    const spelled = spelledOut(walk, value, { seconds: 'int64', nanos: 'int32' });
    if (!spelled) return undefined;
    const [seconds, nanos] = [Number(spelled['seconds'] ?? 0), Number(spelled['nanos'] ?? 0)];
    const sign = seconds < 0 || nanos < 0 ? '-' : '';
    return `${sign}${Math.abs(seconds)}${nanos === 0 ? '' : `.${String(Math.abs(nanos)).padStart(9, '0')}`}s`;
  }
  if (typeof value === 'string' && /^-?\d+(\.\d{1,9})?s$/.test(value)) {
    return Math.abs(Number.parseFloat(value)) <= 315_576_000_000 ? value : walk.report(`the duration ${shown(value)} is out of range`);
  }
  return walk.report(`expected a duration, found ${shown(value)}`, `Write it in seconds with the unit: ${durationExample(value)}`);
}

/** What was probably meant: `500ms` is `0.5s`, `10` is `10s`. */
function durationExample(value: unknown): string {
  const [, number, unit = 's'] = /^(-?\d+(?:\.\d+)?)\s*(ms|us|ns|s|m|h)?$/.exec(String(value)) ?? [];
  const factor = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 }[unit] ?? 1;
  return number === undefined ? '10s, 0.5s' : `${Number((Number(number) * factor).toFixed(9))}s`;
}

/** The fields of a spelled-out message in strict JSON; undefined and problems in `walk` when they are wrong. */
function spelledOut(
  walk: JsonWalk,
  value: Readonly<Record<string, unknown>>,
  types: Readonly<Record<string, string>>,
): Record<string, unknown> | undefined {
  const before = walk.problems.length;
  const entries = Object.entries(value).map(([key, child]) => {
    const type = types[key];
    return [
      key,
      walk.at(key, () =>
        type === undefined
          ? walk.report(`unknown field "${key}"`, `It has ${Object.keys(types).join(', ')}`, 'key')
          : scalarJson(walk, type, child),
      ),
    ];
  });
  return walk.problems.length > before ? undefined : (Object.fromEntries(entries) as Record<string, unknown>);
}

function timestampJson(walk: JsonWalk, value: unknown): unknown {
  if (isMapping(value)) {
    const spelled = spelledOut(walk, value, { seconds: 'int64', nanos: 'int32' });
    if (!spelled) return undefined;
    const date = new Date(Number(spelled['seconds'] ?? 0) * 1000);
    const nanos = String(spelled['nanos'] ?? 0).padStart(9, '0');
    return Number.isNaN(date.getTime()) ? walk.report('the time is out of range') : date.toISOString().replace('.000Z', `.${nanos}Z`);
  }
  const good =
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(value) &&
    !Number.isNaN(Date.parse(value));
  return good ? value : walk.report(`expected a time, found ${shown(value)}`, 'Write it as 2026-01-31T12:00:00Z');
}

function fieldMaskJson(walk: JsonWalk, value: unknown): unknown {
  if (typeof value === 'string' && !value.includes('_')) return value;
  return walk.report(`expected a field mask, found ${shown(value)}`, 'Write lowerCamel paths with commas between them: "a.bC,d"');
}

function wrapperJson(walk: JsonWalk, value: unknown, shape: MessageShape): unknown {
  const inner = shape.fieldNamed('value')?.kind ?? 'string';
  if (!isMapping(value)) return scalarJson(walk, inner, value);
  const spelled = spelledOut(walk, value, { value: inner });
  return spelled && (spelled['value'] ?? emptyScalar(inner));
}

function emptyScalar(type: string): unknown {
  if (type === 'bool') return false;
  return type === 'string' || type === 'bytes' ? '' : 0;
}

function structJson(walk: JsonWalk, value: unknown): unknown {
  if (isMapping(value)) return plainJson(walk, value);
  return walk.report(`expected a mapping with any keys (google.protobuf.Struct), found ${shown(value)}`);
}

function listJson(walk: JsonWalk, value: unknown): unknown {
  return Array.isArray(value)
    ? plainJson(walk, value)
    : walk.report(`expected a list of anything (google.protobuf.ListValue), found ${shown(value)}`);
}

/** Any JSON at all; only numbers that JSON does not have are refused. */
function plainJson(walk: JsonWalk, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number')
    return Number.isFinite(value) ? value : walk.report(`${value} cannot stand in a google.protobuf.Value`, 'Put it in quotes');
  if (Array.isArray(value)) return value.map((item, i) => walk.at(i, () => plainJson(walk, item)));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk.at(key, () => plainJson(walk, child))]));
}
