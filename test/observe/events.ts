import type { Event, TimelineEvent } from '../../src/events.ts';
import { TypeUrl, resourceTypeNamed } from '../../src/protocol/resource-type.ts';

const stream = { stream: 1, variant: 'sotw', node: 'sidecar~10.0.0.7~a.default~default.svc.cluster.local' } as const;

function type(short: string): { readonly typeUrl: string; readonly type: string } {
  return { typeUrl: resourceTypeNamed(short)?.typeUrl ?? TypeUrl.cluster, type: short };
}

/** Events as the rooms emit them, for tests that need some. */
export const made = {
  request: (
    short: string,
    outcome: 'initial' | 'ack' | 'nack' | 'stale' | 'spontaneous' = 'initial',
    names: readonly string[] = [],
  ): Event => ({
    event: 'request.received',
    ...stream,
    ...type(short),
    outcome,
    names,
    unsubscribed: [],
    held: [],
    version: '',
    nonce: '',
  }),
  sent: (short: string, names: readonly string[] = ['a']): Event => ({
    event: 'response.sent',
    ...stream,
    ...type(short),
    version: 'v1',
    nonce: 'n1',
    names,
    removed: [],
    cause: 'reply',
  }),
  acked: (short: string): Event => ({ event: 'response.acked', ...stream, ...type(short), version: 'v1', nonce: 'n1' }),
  nacked: (short: string, text: string): Event => ({
    event: 'response.nacked',
    ...stream,
    ...type(short),
    version: 'v1',
    nonce: 'n1',
    code: 13,
    text,
  }),
  withheld: (short: string): Event => ({ event: 'response.withheld', ...stream, ...type(short), names: [] }),
  moment: (moment: string): Event => ({ event: 'moment.marked', moment }),
  state: (state: 'PRE_INITIALIZING' | 'INITIALIZING' | 'LIVE'): Event => ({ event: 'envoy.state-reached', state }),
  exited: (how: { readonly code?: number; readonly signal?: string }): Event => ({ event: 'envoy.exited', ...how }),
};

/** An event as it stands in a timeline. */
export function at(atMs: number, event: Event, seq = 1): TimelineEvent {
  return { ...event, seq, atMs };
}
