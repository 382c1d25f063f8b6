import protojson from 'protobufjs/ext/protojson.js';
import { Enum, Type, type Field } from 'protobufjs/light.js';
import { expect, it } from 'vitest';
import { decodeJson, encodeJson } from '../../src/protobuf/canonical-json.ts';
import { descriptorIndex } from '../../src/protobuf/descriptors.ts';
import { JsonWalk } from '../../src/protobuf/json-walk.ts';
import { messageJson } from '../../src/protobuf/message-json.ts';
import { messageType } from '../../src/protobuf/message-type.ts';
import { messageShape } from '../../src/protobuf/shape-registry.ts';

const wellKnown: Readonly<Record<string, unknown>> = {
  Duration: '-3.005s',
  Timestamp: '2026-01-31T12:00:00.000120Z',
  FieldMask: 'fooBar,a.bC',
  Struct: { a: [1.5, null, {}] },
  Value: ['x', false],
  ListValue: [{ k: 'v' }],
};
const scalars: Readonly<Record<string, unknown>> = { bool: true, string: 's☃', bytes: 'AP8+Pw==', float: 1.5, double: 0.1 };

function scalar(type: string): unknown {
  if (/64$/.test(type)) return '9007199254740993';
  return scalars[type] ?? 4_294;
}

function singular(field: Field, depth: number): unknown {
  const { resolvedType } = field.resolve();
  if (resolvedType instanceof Enum)
    return resolvedType.fullName === '.google.protobuf.NullValue'
      ? null
      : resolvedType.valuesById[Object.values(resolvedType.values).at(-1) ?? 0];
  return resolvedType instanceof Type ? sample(resolvedType, depth - 1) : scalar(field.type);
}

/** A value with every field set (one of each oneof), some levels deep. */
function sample(type: Type, depth: number): unknown {
  const short = type.fullName.replace(/^\.google\.protobuf\./, '');
  if (type === messageType('google.protobuf.Any')) return { '@type': 'type.googleapis.com/google.protobuf.Duration', value: '1s' };
  if (short in wellKnown) return wellKnown[short];
  if (/^\.google\.protobuf\.\w+Value$/.test(type.fullName) && type.fieldsArray.length === 1)
    return scalar(type.fields['value']?.type ?? '');
  const json: Record<string, unknown> = {};
  const chosen = new Set<unknown>();
  for (const field of type.fieldsArray.filter((candidate) => depth > 0 || !(candidate.resolve().resolvedType instanceof Type))) {
    if (field.partOf && chosen.has(field.partOf)) continue;
    chosen.add(field.partOf);
    const value = singular(field, depth);
    const key = (field as { keyType?: string }).keyType;
    json[field.jsonName] =
      key === undefined ? (field.repeated ? [value] : value) : { [key === 'bool' ? 'true' : key === 'string' ? 'a b' : '7']: value };
  }
  return json;
}

/** Types are compiled when first used, so all of them take seconds; test/peers/protojson.test.ts does all of them. */
const stride = 15;

/** What protobufjs makes of the same value. */
function referenceBytes(name: string, value: unknown): Uint8Array {
  const type = messageType(name);
  return type.encode(protojson.fromJson(type, messageJson(new JsonWalk(), messageShape(name), value))).finish();
}

it(`every ${stride}th message of the set, filled, goes to bytes as protobufjs writes them, and back`, () => {
  const names = descriptorIndex()
    .messageNames()
    .filter((name, i) => i % stride === 0 && messageType(name).fieldsArray.length > 0);
  const wrong = names.filter((name) => {
    const value = sample(messageType(name), 2);
    const bytes = Buffer.from(encodeJson(name, value));
    return bytes.length === 0 || !bytes.equals(referenceBytes(name, value)) || !bytes.equals(encodeJson(name, decodeJson(name, bytes)));
  });
  expect(wrong).toEqual([]);
  expect(names.length).toBeGreaterThan(100);
}, 20_000);
