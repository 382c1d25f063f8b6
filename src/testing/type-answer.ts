import type { TimelineEvent } from '../events.ts';
import { resourceType } from '../protocol/resource-type.ts';

/** What became of a type at one node, by what happened: of the newest response, or why there is none. */
export type TypeAnswer =
  | { readonly kind: 'acked' }
  | { readonly kind: 'nacked'; readonly text: string }
  | { readonly kind: 'sent' | 'withheld' | 'unsent' | 'not asked for' };

type Of<N extends TimelineEvent['event']> = Extract<TimelineEvent, { event: N }>;
type TypeEvent = Of<
  | 'request.received'
  | 'response.sent'
  | 'response.withheld'
  | 'response.delayed'
  | 'response.dropped'
  | 'response.acked'
  | 'response.nacked'
>;
/** What became of an owed response. */
type Owed = Of<'response.sent' | 'response.withheld' | 'response.delayed' | 'response.dropped'>;

const owed: ReadonlySet<string> = new Set<Owed['event']>(['response.sent', 'response.withheld', 'response.delayed', 'response.dropped']);
const answers: ReadonlySet<string> = new Set<TypeEvent['event']>(['request.received', 'response.acked', 'response.nacked']);

function isOwed(event: TimelineEvent): event is Owed {
  return owed.has(event.event);
}

function isTypeEvent(event: TimelineEvent): event is TypeEvent {
  return owed.has(event.event) || answers.has(event.event);
}

/**
 * Node ids that asked for anything on a stream that is open still; if there is none, on one that has ended. A matcher about a fake istiod
 * means all of them.
 */
export function nodesIn(events: readonly TimelineEvent[]): readonly string[] {
  const open = new Map<number, string>();
  const seen = new Set<string>();
  for (const event of events) {
    if (event.event === 'stream.closed') open.delete(event.stream);
    if (event.event !== 'request.received' || event.node === undefined) continue;
    open.set(event.stream, event.node);
    seen.add(event.node);
  }
  return [...(open.size > 0 ? new Set(open.values()) : seen)];
}

/** A dropped response counts as sent, and nobody will ever answer it. */
const unsent = { 'response.withheld': 'withheld', 'response.delayed': 'unsent', 'response.dropped': 'sent' } as const;

/**
 * What a node said of the newest response of a type. An answer counts for the response whose nonce it bears on its own stream, so that a
 * late one to an older response does not count for a newer.
 */
export function answerOf(events: readonly TimelineEvent[], typeUrl: string, node: string): TypeAnswer {
  const own = events.filter((event): event is TypeEvent => isTypeEvent(event) && event.typeUrl === typeUrl && event.node === node);
  const newest = own.findLast(isOwed);
  if (!newest) return { kind: own.length > 0 ? 'unsent' : 'not asked for' };
  if (newest.event !== 'response.sent') return { kind: unsent[newest.event] };
  const answer = own.findLast(
    (event): event is Of<'response.acked' | 'response.nacked'> =>
      (event.event === 'response.acked' || event.event === 'response.nacked') &&
      event.stream === newest.stream &&
      event.nonce === newest.nonce,
  );
  if (!answer) return { kind: 'sent' };
  return answer.event === 'response.acked' ? { kind: 'acked' } : { kind: 'nacked', text: answer.text };
}

/** An answer in words, as the end of a sentence: `CDS is withheld`. */
export function answerText(typeUrl: string, answer: TypeAnswer): string {
  const { short } = resourceType(typeUrl);
  switch (answer.kind) {
    case 'acked':
      return `it ACKed ${short}`;
    case 'nacked':
      return `it NACKed ${short}: ${answer.text}`;
    case 'sent':
      return `${short} was sent and not answered yet`;
    case 'withheld':
      return `${short} is withheld`;
    case 'unsent':
      return `${short} was asked for and not sent yet`;
    case 'not asked for':
      return `${short} was not asked for`;
  }
}
