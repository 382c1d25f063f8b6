import { toHaveAcked, type AckedArguments } from './ack-matcher.ts';
import { toBeEvent } from './event-matcher.ts';
import { toHaveNacked, type NackedOptions } from './nack-matcher.ts';
import { toReachState, toStayIn, type ReachStateOptions, type StayInOptions } from './state-matchers.ts';
import type { ServerState } from '../envoy/index.ts';
import type { EventQuery } from '../observe/event-query.ts';

/** The matchers, for `expect.extend` of vitest and of jest alike. */
export const istiodMatchers = { toReachState, toStayIn, toHaveAcked, toHaveNacked, toBeEvent };

/** How the matchers are called in a test. Those that wait are awaited: `await expect(envoy).toReachState('LIVE')`. */
export interface IstiodMatchers {
  /** Envoy gets into the state in time. Default 4 s. */
  toReachState(state: ServerState, options?: ReachStateOptions): Promise<void>;
  /** Envoy is in the state and stays in it. Default 500 ms. */
  toStayIn(state: ServerState, options?: StayInOptions): Promise<void>;
  /** A push, or the newest response of each type named, is accepted in time. Default 4 s. */
  toHaveAcked(...what: AckedArguments): Promise<void>;
  /** Something is rejected in time, with these words. Default 4 s. */
  toHaveNacked(text?: RegExp | string, options?: NackedOptions): Promise<void>;
  /** It is the event that the query means. Does not wait. */
  toBeEvent(query: EventQuery): void;
}

/** Those that work inside other expectations, as `expect.toBeEvent(…)`: only what does not wait. */
export interface AsymmetricIstiodMatchers {
  toBeEvent(query: EventQuery): unknown;
}
