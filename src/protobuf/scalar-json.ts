import { shown, type JsonWalk } from './json-walk.ts';
import type { EnumShape } from './message-shape.ts';
import { nearestName } from './nearest-name.ts';

const integerRanges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const integerTypes: Readonly<Record<string, string>> = {
  sint32: 'int32',
  sfixed32: 'int32',
  fixed32: 'uint32',
  sint64: 'int64',
  sfixed64: 'int64',
  fixed64: 'uint64',
};
const largestFloat = 3.4028234663852886e38;

/** A JSON scalar in the form that `scalarValue` takes, or undefined and a problem in `walk`. */
export function scalarJson(walk: JsonWalk, type: string, value: unknown): unknown {
  switch (type) {
    case 'bool':
      return boolJson(walk, value);
    case 'string':
      return stringJson(walk, value);
    case 'bytes':
      return bytesJson(walk, value);
    case 'float':
    case 'double':
      return floatJson(walk, type, value);
    default:
      return integerJson(walk, integerTypes[type] ?? type, value);
  }
}

/** @note Envoy reads YAML 1.1 booleans, quoted or not; so do we (seen with Envoy 1.40 in validate mode). */
function boolJson(walk: JsonWalk, value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string' && /^(true|yes|on|y)$/i.test(value)) return true;
  if (typeof value === 'string' && /^(false|no|off|n)$/i.test(value)) return false;
  return walk.report(`expected true or false, found ${shown(value)}`);
}

function stringJson(walk: JsonWalk, value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const quotable = ['number', 'boolean', 'bigint'].includes(typeof value);
  return walk.report(`expected a string, found ${shown(value)}`, quotable ? `Put it in quotes: "${String(value)}"` : undefined);
}

/** Standard and URL-safe base64, padded or not. */
export function isBase64(text: string): boolean {
  return /^[\w+/-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
}

function bytesJson(walk: JsonWalk, value: unknown): string | undefined {
  if (typeof value === 'string' && isBase64(value)) return value;
  return walk.report(
    `expected bytes in base64, found ${shown(value)}`,
    'Encode it with base64, or use inline_string where the field has one',
  );
}

function floatJson(walk: JsonWalk, type: string, value: unknown): number | string | undefined {
  const number =
    typeof value === 'bigint' ? Number(value) : typeof value === 'string' && value.trim() === value && value !== '' ? Number(value) : value;
  if (value === 'NaN' || Object.is(number, Number.NaN))
    return typeof value === 'string' && value !== 'NaN' ? wrongNumber(walk, value) : 'NaN';
  if (typeof number !== 'number') return wrongNumber(walk, value);
  if (!Number.isFinite(number)) return number > 0 ? 'Infinity' : '-Infinity';
  if (type === 'float' && Math.abs(number) > largestFloat) return walk.report(`${shown(value)} is too large for a float`);
  return number;
}

function wrongNumber(walk: JsonWalk, value: unknown): undefined {
  return walk.report(`expected a number, found ${shown(value)}`);
}

function integerJson(walk: JsonWalk, type: string, value: unknown): string | undefined {
  const integer = toBigInt(value);
  if (integer === undefined) return walk.report(`expected a whole number (${type}), found ${shown(value)}`);
  const [least, most] = integerRanges[type] ?? [0n, 0n];
  if (integer >= least && integer <= most) return String(integer);
  return walk.report(`${shown(value)} is out of range for ${type}`, `Give ${least} to ${most}`);
}

/** Numbers, and strings that hold one (`"5"`, `"1e3"`), when they are whole. */
function toBigInt(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^[+-]?\d+$/.test(value)) return BigInt(value.replace(/^\+/, ''));
  const number = typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
  return Number.isInteger(number) ? BigInt(number as number) : undefined;
}

/** @note Envoy ignores the case of enum names and reads quoted numbers; so do we. A number without a name is legal (proto3 enums are open) and gets a warning. */
export function enumJson(walk: JsonWalk, shape: EnumShape, value: unknown): string | number | undefined {
  if (value === null && shape.fullName === 'google.protobuf.NullValue') return 0;
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 2 ** 31) return enumNumber(walk, shape, value);
  if (typeof value === 'string' && /^-?\d{1,9}$/.test(value)) return enumNumber(walk, shape, Number(value));
  const names = [...shape.values.keys()];
  if (typeof value !== 'string') return walk.report(`expected a name of the enum ${shape.fullName}, found ${shown(value)}`, oneOf(names));
  const name = shape.values.has(value) ? value : names.find((known) => known.toLowerCase() === value.toLowerCase());
  if (name !== undefined) return name;
  const near = nearestName(value, names);
  return walk.report(`${shown(value)} is no value of the enum ${shape.fullName}`, near ? `Did you mean ${near}?` : oneOf(names));
}

function enumNumber(walk: JsonWalk, shape: EnumShape, value: number): number {
  if (![...shape.values.values()].includes(value))
    walk.warn(`${value} is no value of the enum ${shape.fullName}; it is sent all the same`, oneOf([...shape.values.keys()]));
  return value;
}

function oneOf(names: readonly string[]): string {
  return `One of ${names.slice(0, 12).join(', ')}${names.length > 12 ? ', ...' : ''}`;
}
