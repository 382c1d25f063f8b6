import { isJsonObject, type Json, type JsonObject } from '../envoy/json.ts';
import type { Problem } from '../errors.ts';
import { problemsAt } from '../protobuf/check.ts';
import type { DocumentPath, PositionOf } from '../protobuf/document.ts';
import { JsonWalk, type JsonProblem } from '../protobuf/json-walk.ts';
import { encodeMessage } from '../protobuf/message-json.ts';
import type { MessageShape } from '../protobuf/message-shape.ts';
import { messageShape } from '../protobuf/shape-registry.ts';
import { valueAt } from './written-value.ts';

/** Messages of Istio's API that are read here. */
export const meshConfigMessage = 'istio.mesh.v1alpha1.MeshConfig';
export const proxyConfigMessage = 'istio.mesh.v1alpha1.ProxyConfig';
export const meshNetworksMessage = 'istio.mesh.v1alpha1.MeshNetworks';

/** A value of a message of Istio's API, and what of it Istio would refuse (`problems`) or ignore (`warnings`). */
export interface ApiValue {
  /** All fields known to the API by their lowerCamel names; fields that are not known stay as they are, `null` is gone. */
  readonly value: JsonObject;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Takes paths of `value`. */
  readonly positionOf: PositionOf;
}

/** Reads what a user wrote as a message. Both spellings of fields are taken, `discoveryAddress` and `discovery_address`. */
export function readApiValue(typeName: string, written: unknown, positionOf: PositionOf): ApiValue {
  const shape = messageShape(typeName);
  const walk = new JsonWalk();
  encodeMessage(walk, shape, written ?? {});
  const found = walk.problems.filter((problem) => !isGoDuration(problem, written));
  const ignored = found.filter((problem) => problem.of === 'key' && problem.what.startsWith('unknown field'));
  const refused = found.filter((problem) => !ignored.includes(problem));
  return {
    value: isJsonObject(written) ? namedAsInApi(written, shape) : {},
    problems: problemsAt(refused, positionOf),
    warnings: problemsAt(ignored, positionOf).map(({ remedy, ...problem }) => ({
      ...problem,
      what: `${problem.what}, which Istio ignores`,
      ...(remedy === undefined ? {} : { remedy: lowerCamel(remedy) }),
    })),
    positionOf: (path, of) => positionOf(pathAsWritten(written, path), of),
  };
}

/** Go reads `1m30s` and `300ms` where canonical JSON has seconds only. */
function isGoDuration({ path, what }: JsonProblem, written: unknown): boolean {
  const value = what.includes('duration') ? valueAt(written, ...path) : undefined;
  return typeof value === 'string' && /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*$/.test(value);
}

function namedAsInApi(written: JsonObject, shape: MessageShape): JsonObject {
  const entries = Object.entries(written).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([key, value]): [string, Json] => {
      const field = shape.fieldNamed(key);
      if (!field) return [key, value];
      const message = field.entry ? field.entry.value.message : field.message;
      if (!message || message.fullName.startsWith('google.protobuf.')) return [field.jsonName, value];
      return [field.jsonName, inside(value, message, field.entry !== undefined)];
    }),
  );
}

function inside(value: Json, message: MessageShape, isMap: boolean): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => inside(item, message, false));
  if (!isJsonObject(value)) return value;
  if (!isMap) return namedAsInApi(value, message);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inside(item, message, false)]));
}

function pathAsWritten(written: unknown, path: DocumentPath): DocumentPath {
  const found: (string | number)[] = [];
  for (const step of path) {
    const here = valueAt(written, ...found);
    const keys = isJsonObject(here) ? Object.keys(here) : [];
    found.push(typeof step === 'string' && !keys.includes(step) ? (keys.find((key) => lowerCamel(key) === step) ?? step) : step);
  }
  return found;
}

function lowerCamel(key: string): string {
  return key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
