import type { StreamSort } from '../protocol/stream-matcher.ts';
import type { Delivery } from './delivery.ts';

/**
 * A deliberate misbehaviour on the way out: it takes a finished response's delivery and gives back what is to happen instead.
 * A value without a clock or a socket; the session carries it out. To add one, write a file like `delay.ts` and list it in
 * `registry.ts`.
 */
export interface Fault {
  /** By which it can be told from others; what is left of it after it struck keeps it. */
  readonly id?: string;
  readonly name: string;
  /** Responses of this type are affected. */
  readonly typeUrl: string;
  readonly streams?: StreamSort;
  /** How often it will still strike; absent where it always does. */
  readonly left?: number;
  affect(delivery: Delivery): Delivery;
  /** The fault as it is after it struck once; undefined when it is used up. */
  struck(): Fault | undefined;
}
