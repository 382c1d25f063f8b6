import type { Problem } from '../errors.ts';
import type { PositionOf } from './document.ts';

/** Everything in a JSON value that a message type does not allow, each with its place, the expectation and the nearest valid name. */
export function checkMessage(typeName: string, value: unknown, at: PositionOf): Problem[] {
  throw new Error(`not yet: ${typeName} ${String(value)} ${String(at)}`);
}
