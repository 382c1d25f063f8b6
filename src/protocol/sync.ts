import { typeState } from './snapshot.ts';
import type { StreamState } from './stream-state.ts';
import { variants } from './variant.ts';

/** How far a client has got with what a publish changed of a type. */
export type SyncStatus = 'not requested' | 'not sent' | 'withheld' | 'sent' | 'acked' | 'nacked';

/**
 * Where a stream's client stands with regard to the publish numbered `sequence`. A client that already accepted the very content of the
 * publish has acked it, and so has one that accepted anything newer: a push that was overtaken is done with the newer one. What is
 * refused or withheld since before it does not count as accepted.
 */
export function syncStatus(state: StreamState, typeUrl: string, sequence: number): SyncStatus {
  const watch = state.watches.get(typeUrl);
  if (!watch) return 'not requested';
  const { lastAcked, rejected, debt, unanswered } = watch;
  const openSince = Math.min(rejected?.since ?? Infinity, debt?.since ?? Infinity);
  if (lastAcked && lastAcked.sequence >= sequence && sequence < openSince) return 'acked';
  if (rejected && rejected.sequence >= sequence) return 'nacked';
  if (debt && debt.since <= sequence) return 'withheld';
  if (unanswered.some((sent) => sent.sequence >= sequence)) return 'sent';
  // Many streams move on one after the other, and one that is not read from waits: what it makes of the publish is not known yet.
  if (state.snapshot.sequence < sequence) return 'not sent';
  if (variants[state.variant].due(watch, typeState(state.snapshot, typeUrl)) !== undefined) return 'not sent';
  if (unanswered.length > 0) return 'sent';
  return rejected ? 'nacked' : 'acked';
}
