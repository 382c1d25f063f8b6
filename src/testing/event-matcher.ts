import type { EventQuery } from '../observe/event-query.ts';
import { matchesQuery, nearestEvent, queryText } from '../observe/event-query.ts';
import { eventText } from '../observe/event-text.ts';
import type { TimelineEvent } from '../events.ts';
import { FakeIstiodError } from '../errors.ts';
import type { MatcherContext, MatcherResult } from './matcher-result.ts';

/**
 * An event is the one that a query means. It does not wait, so it works inside other expectations as well:
 * `expect(istiod.timeline.events).toContainEqual(expect.toBeEvent({ event: 'response.withheld', type: 'CDS' }))`.
 */
export function toBeEvent(this: MatcherContext, received: unknown, query: EventQuery): MatcherResult {
  if (typeof query !== 'object' || !('event' in query || 'type' in query)) {
    throw new FakeIstiodError('options.invalid', 'toBeEvent was not told which', {
      remedy: "Name it: toBeEvent({ event: 'response.acked', type: 'CDS' })",
    });
  }
  const event = isEvent(received) ? received : undefined;
  const pass = event !== undefined && matchesQuery(query, event);
  const found = event ? eventText(event).trim() : 'no event of a timeline';
  const message = (): string => {
    const difference = event && nearestEvent(query, [event])?.difference;
    return `expected ${pass ? 'no ' : ''}${queryText(query)}, but it is: ${found}${difference ? `\n${difference}` : ''}`;
  };
  return { pass, message };
}

function isEvent(value: unknown): value is TimelineEvent {
  return typeof value === 'object' && value !== null && 'event' in value && 'seq' in value;
}
