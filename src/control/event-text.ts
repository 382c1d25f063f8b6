import type { TimelineEvent } from '../events.ts';

const texts = new WeakMap<TimelineEvent, string>();

/** An event as server-sent events have it (HTML, 9.2.6), made once for all who read it. The name stands in the data: `onmessage` sees all. */
export function eventBlock(event: TimelineEvent): string {
  const known = texts.get(event);
  if (known !== undefined) return known;
  const text = `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
  texts.set(event, text);
  return text;
}

/** Said to a reader that was too slow, or came back too late: so many events are no longer kept. */
export function missedBlock(count: number): string {
  return `event: missed\ndata: ${JSON.stringify({ missed: count })}\n\n`;
}

/** Said before the server ends a stream of events by itself. */
export function endBlock(reason: string): string {
  return `event: end\ndata: ${JSON.stringify({ reason })}\n\n`;
}

/** Tells the reader when to come back, and that somebody is there. */
export const openingBlock = 'retry: 1000\n: fake-istiod\n\n';

/** Says nothing, so that neither end, nor anything in between, takes the connection for dead. */
export const heartbeatBlock = ': still here\n\n';
