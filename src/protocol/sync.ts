import { typeState } from './snapshot.ts';
import type { StreamState } from './stream-state.ts';
import { variants } from './variant.ts';

/** How far a client has got with what a publish changed of a type. */
export type SyncStatus = 'not requested' | 'not sent' | 'withheld' | 'sent' | 'acked' | 'nacked';

/**
 * Where a stream's client stands with regard to the publish numbered `sequence`. A client that already accepted the very content of the
 * publish has acked it, and so has one that accepted anything newer: a push that was overtaken is done with the newer one.
 */
export function syncStatus(state: StreamState, typeUrl: string, sequence: number): SyncStatus {
  const watch = state.watches.get(typeUrl);
  if (!watch) return 'not requested';
  const { lastAcked, lastSent, rejected, ackedHeld, held, owed } = watch;
  if (rejected && rejected.sequence >= sequence) return 'nacked';
  if (lastAcked && lastAcked.sequence >= sequence) return 'acked';
  if (owed) return 'withheld';
  if (lastSent && lastSent.sequence >= sequence) return 'sent';
  const answered = lastAcked !== undefined && lastAcked.nonce === lastSent?.nonce && ackedHeld === held;
  const current = answered && variants[state.variant].due(watch, typeState(state.snapshot, typeUrl)) === undefined;
  return current ? 'acked' : 'not sent';
}
