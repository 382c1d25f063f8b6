import type { MessageShape } from './message-shape.ts';

type Fields = Readonly<Record<string, unknown>>;

/** From the JSON form of a well-known message to its fields. */
const spelled: Readonly<Record<string, (json: unknown) => Fields>> = {
  Duration: (json) => durationFields(json as string),
  Timestamp: (json) => timestampFields(json as string),
  FieldMask: (json) => ({ paths: json === '' ? [] : (json as string).split(',').map(snakePath) }),
  Struct: (fields) => ({ fields }),
  ListValue: (values) => ({ values }),
  Value: valueFields,
};
const wrapper = /^(Double|Float|Int64|UInt64|Int32|UInt32|Bool|String|Bytes)Value$/;
const inPackage = 'google.protobuf.';

/** The fields of a message in canonical JSON; what has a form of its own there (`10s`, a bare value) is spelled out. */
export function spelledOut({ fullName }: MessageShape, json: unknown): Fields {
  if (!fullName.startsWith(inPackage)) return json as Fields;
  const name = fullName.slice(inPackage.length);
  if (wrapper.test(name)) return { value: json };
  return spelled[name]?.(json) ?? (json as Fields);
}

function valueFields(json: unknown): Fields {
  if (json === null) return { nullValue: 0 };
  if (typeof json === 'number') return { numberValue: json };
  if (typeof json === 'string') return { stringValue: json };
  if (typeof json === 'boolean') return { boolValue: json };
  return Array.isArray(json) ? { listValue: json } : { structValue: json ?? {} };
}

function durationFields(json: string): Fields {
  const [, sign = '', seconds = '', fraction = ''] = /^(-)?(\d+)(?:\.(\d+))?s$/.exec(json) ?? [];
  return { seconds: sign + seconds, nanos: sign + nanos(fraction) };
}

function nanos(fraction: string): string {
  return fraction.padEnd(9, '0');
}

const timestamp =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,9}))?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Years 1 to 9999, as protobuf has it. */
const [firstSecond, lastSecond] = [-62_135_596_800, 253_402_300_799];

function timestampFields(json: string): Fields {
  const [, year, month, day, , fraction = ''] = timestamp.exec(json) ?? [];
  if (day === undefined) throw invalidTime(json, 'invalid timestamp');
  if (Number(day) > new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate())
    throw invalidTime(json, 'invalid timestamp date');
  const seconds = Math.floor(new Date(json).getTime() / 1000);
  if (seconds < firstSecond || seconds > lastSecond) throw invalidTime(json, 'timestamp out of range');
  return { seconds, nanos: nanos(fraction) };
}

function invalidTime(json: string, what: string): Error {
  return new Error(`.google.protobuf.Timestamp: ${what}: ${JSON.stringify(json)}`);
}

function snakePath(path: string): string {
  return path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
