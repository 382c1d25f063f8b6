import type { Event } from '../events.ts';

/** Shorter lists and texts are part of what any event takes, which the number of events bounds. */
const shortList = 8;
const shortText = 1024;

/** What a member of a list takes beside its characters. */
const memberBytes = 24;

type Part = string | readonly unknown[];

/** What the long lists and texts of events take, in bytes (one for each character). A list that several events share counts once. */
export class EventBytes {
  /** Of all events added and not taken out again. */
  total = 0;
  /** How many events hold a list. */
  private readonly holders = new Map<readonly unknown[], number>();

  add(event: Event): void {
    eachPart(event, this.hold);
  }

  /** Takes out an event that was added. */
  remove(event: Event): void {
    eachPart(event, this.release);
  }

  private readonly hold = (part: Part): void => {
    if (typeof part === 'string') return void (this.total += part.length);
    const holders = this.holders.get(part) ?? 0;
    if (holders === 0) this.total += bytesOf(part);
    this.holders.set(part, holders + 1);
  };

  private readonly release = (part: Part): void => {
    if (typeof part === 'string') return void (this.total -= part.length);
    const holders = (this.holders.get(part) ?? 1) - 1;
    if (holders > 0) return void this.holders.set(part, holders);
    this.holders.delete(part);
    this.total -= bytesOf(part);
  };
}

/**
 * Tells what is long in an event. The three that each push causes for each stream are looked at where they can be long, and nowhere else: to
 * look through all fields would cost more than to record them.
 */
function eachPart(event: Event, tell: (part: Part) => void): void {
  switch (event.event) {
    case 'response.acked':
      return;
    case 'response.sent':
      if (event.names.length > shortList) tell(event.names);
      if (event.removed.length > shortList) tell(event.removed);
      return;
    case 'request.received':
      if (event.names.length > shortList) tell(event.names);
      if (event.unsubscribed.length > shortList) tell(event.unsubscribed);
      if (event.held.length > shortList) tell(event.held);
      if (event.typeUrl.length > shortText) tell(event.typeUrl);
      if (event.nonce.length > shortText) tell(event.nonce);
      if (event.version.length > shortText) tell(event.version);
      return;
    default:
      for (const value of Object.values(event) as readonly unknown[]) {
        if (typeof value === 'string' ? value.length > shortText : Array.isArray(value) && value.length > shortList) tell(value as Part);
      }
  }
}

function bytesOf(list: readonly unknown[]): number {
  let bytes = 0;
  for (const member of list) bytes += memberBytes + (typeof member === 'string' ? member.length : 0);
  return bytes;
}
