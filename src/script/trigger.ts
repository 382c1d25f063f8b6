import type { NodeMatcher } from '../protocol/node.ts';
import type { ValueMatcher } from './matcher.ts';

/** Names of the events that a scenario can wait for. */
export const scriptableEvents = [
  'server.started',
  'server.stopped',
  'server.silenced',
  'connection.accepted',
  'handshake.failed',
  'token.accepted',
  'token.rejected',
  'certificate.accepted',
  'identity.mismatched',
  'caller.turned-away',
  'certificate.signed',
  'csr.rejected',
  'token.written',
  'certificate.received',
  'certificate.refused',
  'stream.opened',
  'stream.refused',
  'stream.closed',
  'request.received',
  'response.sent',
  'response.withheld',
  'response.delayed',
  'response.dropped',
  'response.acked',
  'response.nacked',
  'snapshot.published',
  'content.failed',
  'reload.failed',
  'registry.ignored',
  'envoy.started',
  'envoy.state-reached',
  'envoy.exited',
  'envoy.logged',
  'step.fired',
  'moment.marked',
] as const;
export type ScriptableEvent = (typeof scriptableEvents)[number];

/**
 * Which events are meant. `fields` compares what the event says, by its own field names (`outcome`, `text`, `code`, `names` …);
 * `type` takes any name of a resource type, `node` any part of the node.
 */
export interface EventPattern {
  readonly event: ScriptableEvent;
  readonly typeUrl?: string;
  readonly node?: NodeMatcher;
  /** Of several Envoys the one of this name; its streams are known by its node id. */
  readonly envoy?: { readonly name: string; readonly node: string };
  /** Of several istiods the one of this name. */
  readonly istiod?: string;
  readonly fields: Readonly<Record<string, ValueMatcher>>;
}

/** When a step's commands are due. */
export type Trigger =
  /** The nth event of a pattern since the start (1 is the first). */
  | { readonly kind: 'event'; readonly pattern: EventPattern; readonly nth: number }
  /** So long after a moment. `start` is when the script began. */
  | { readonly kind: 'elapsed'; readonly afterMs: number; readonly since: string }
  | { readonly kind: 'all'; readonly of: readonly Trigger[] }
  | { readonly kind: 'any'; readonly of: readonly Trigger[] };
