import type { Type } from 'protobufjs/light.js';
import { fullNameOf } from './field-index.ts';
import { shown, type JsonWalk } from './json-walk.ts';
import { scalarJson } from './scalar-json.ts';

type Reader = (walk: JsonWalk, value: unknown, type: Type) => unknown;

const readers: Readonly<Record<string, Reader>> = {
  'google.protobuf.Duration': durationJson,
  'google.protobuf.Timestamp': timestampJson,
  'google.protobuf.FieldMask': fieldMaskJson,
  'google.protobuf.Struct': structJson,
  'google.protobuf.Value': (walk, value) => plainJson(walk, value),
  'google.protobuf.ListValue': listJson,
  ...Object.fromEntries(
    ['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map((name) => [`google.protobuf.${name}Value`, wrapperJson]),
  ),
};

/** How a well-known message reads its own JSON form (`10s`, a bare wrapper value); undefined for every other message. */
export function wellKnownReader(type: Type): Reader | undefined {
  return readers[fullNameOf(type)];
}

function durationJson(walk: JsonWalk, value: unknown): unknown {
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

function timestampJson(walk: JsonWalk, value: unknown): unknown {
  const good = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value));
  return good ? value : walk.report(`expected a time, found ${shown(value)}`, 'Write it as 2026-01-31T12:00:00Z');
}

function fieldMaskJson(walk: JsonWalk, value: unknown): unknown {
  if (typeof value === 'string' && !value.includes('_')) return value;
  return walk.report(`expected a field mask, found ${shown(value)}`, 'Write lowerCamel paths with commas between them: "a.bC,d"');
}

function wrapperJson(walk: JsonWalk, value: unknown, type: Type): unknown {
  return scalarJson(walk, type.fields['value']?.type ?? 'string', value);
}

function structJson(walk: JsonWalk, value: unknown): unknown {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return plainJson(walk, value);
  return walk.report(`expected a mapping with any keys (google.protobuf.Struct), found ${shown(value)}`);
}

function listJson(walk: JsonWalk, value: unknown): unknown {
  return Array.isArray(value) ? plainJson(walk, value) : walk.report(`expected a list of anything (google.protobuf.ListValue), found ${shown(value)}`);
}

/** Any JSON at all; only numbers that JSON does not have are refused. */
function plainJson(walk: JsonWalk, value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : walk.report(`${value} cannot stand in a google.protobuf.Value`, 'Put it in quotes');
  if (Array.isArray(value)) return value.map((item, i) => walk.at(i, () => plainJson(walk, item)));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, walk.at(key, () => plainJson(walk, child))]));
}
