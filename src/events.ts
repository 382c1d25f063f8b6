import type { AuthEvent } from './auth/auth-event.ts';
import type { CaEvent } from './ca/ca-event.ts';
import type { EnvoyEvent } from './envoy/envoy-event.ts';
import type { PodEvent } from './pod/pod-event.ts';
import type { ProtocolEvent } from './protocol/protocol-event.ts';
import type { ExpectationEvent } from './observe/expectation-event.ts';
import type { ScriptEvent } from './script/script-event.ts';
import type { SessionEvent } from './session/session-event.ts';
import type { ServerEvent } from './wire/server-event.ts';

/** Everything that can happen, told by the room in which it happens. Event names are public API. */
export type Event =
  ProtocolEvent | SessionEvent | ServerEvent | AuthEvent | CaEvent | ScriptEvent | EnvoyEvent | PodEvent | ExpectationEvent;
export type EventName = Event['event'];

/** An event as it stands in the timeline. */
export type TimelineEvent<E extends Event = Event> = E & {
  /** Counts events from 1. */
  readonly seq: number;
  /** Milliseconds since the timeline began. */
  readonly atMs: number;
  /** The name of one of several istiods, of whose timeline it is; absent where there is one without a name. */
  readonly istiod?: string;
};
