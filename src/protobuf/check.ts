import type { Problem } from '../errors.ts';
import type { PositionOf } from './document.ts';
import { JsonWalk, type JsonProblem } from './json-walk.ts';
import { encodeMessage } from './message-json.ts';
import { messageShape } from './shape-registry.ts';

/**
 * Everything in a JSON value that a message type does not allow: unknown fields, wrong enums and scalars, durations without
 * unit, two of a oneof, missing and unknown `@type`s, and so on. Each problem has its place, what was expected and, where
 * there is one, the nearest valid name. Envoy's own validation rules are not applied: a fake may send what Envoy rejects.
 *
 * @param at where a path inside `value` stands.
 * @throws FakeIstiodError `resource.invalid` when the set has no message of that name.
 */
export function checkMessage(typeName: string, value: unknown, at: PositionOf): Problem[] {
  const walk = new JsonWalk();
  encodeMessage(walk, messageShape(typeName), value);
  return problemsAt(walk.problems, at);
}

/** Problems with their paths turned into places. */
export function problemsAt(problems: readonly JsonProblem[], at: PositionOf): Problem[] {
  return problems.map(({ path, of, what, remedy }) => ({ at: at(path, of), what, ...(remedy === undefined ? {} : { remedy }) }));
}
