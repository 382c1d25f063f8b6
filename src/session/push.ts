import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { matchesPattern } from '../protocol/node.ts';
import { resourceType, TypeUrl } from '../protocol/resource-type.ts';
import { syncStatus, type SyncStatus } from '../protocol/sync.ts';
import type { StreamState } from '../protocol/stream-state.ts';
import type { SnapshotPublished } from './session-event.ts';

/** Whose acknowledgement is awaited, and for how long. */
export interface AckedOptions {
  /** A node id, in which `*` stands for any characters. Left out: every client that is connected now. */
  readonly node?: string;
  /** Default 10 000 ms. */
  readonly timeoutMs?: number;
}

/** One publish, and what became of it. */
export interface Push {
  readonly version: string;
  readonly sequence: number;
  /** Type URLs whose content it changed; empty if everything was as before. */
  readonly typeUrls: readonly string[];
  /**
   * Resolves when the client has accepted this content (or newer) for every type it changed. Rejects with `push.nacked` and the
   * client's own text, or with `wait.timed-out` and what is still missing and why.
   */
  acked(options?: AckedOptions): Promise<void>;
}

/** What a push needs to see. */
export interface PushSurroundings {
  readonly clock: Clock;
  /** The streams open now. */
  streams(): readonly StreamState[];
  /** Calls `listener` after anything happened; the returned function ends it. */
  onChange(listener: () => void): () => void;
}

interface Missing {
  readonly state: StreamState;
  readonly typeUrl: string;
  readonly status: SyncStatus;
}

export function createPush(published: SnapshotPublished & { readonly typeUrls: readonly string[] }, surroundings: PushSurroundings): Push {
  const { version, sequence, typeUrls } = published;
  return {
    version,
    sequence,
    typeUrls,
    acked: (options = {}) => awaitAcks({ sequence, typeUrls }, options, surroundings),
  };
}

function awaitAcks(push: Pick<Push, 'sequence' | 'typeUrls'>, options: AckedOptions, { clock, streams, onChange }: PushSurroundings): Promise<void> {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const concerned = (): StreamState[] => streams().filter(({ node }) => node && matchesPattern(options.node ?? '*', node.id));
  if (push.typeUrls.length === 0) return Promise.resolve();
  if (options.node === undefined && concerned().length === 0) {
    return Promise.reject(new FakeIstiodError('wait.timed-out', 'no client is connected, so none can acknowledge the push', { remedy: 'Wait for a request.received event first, or name the node to wait for: acked({ node })' }));
  }
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      stopWatching();
      callOff();
      finish();
    };
    const look = (): void => {
      const missing = missingAcks(concerned(), push);
      const rejected = missing.find(({ status }) => status === 'nacked');
      if (rejected) settle(() => reject(nacked(rejected)));
      else if (concerned().length > 0 && missing.length === 0) settle(resolve);
    };
    const stopWatching = onChange(look);
    const callOff = clock.after(timeoutMs, () => settle(() => reject(timedOut(concerned(), push, options, timeoutMs))));
    look();
  });
}

function missingAcks(states: readonly StreamState[], { sequence, typeUrls }: Pick<Push, 'sequence' | 'typeUrls'>): Missing[] {
  return states.flatMap((state) =>
    typeUrls.map((typeUrl) => ({ state, typeUrl, status: syncStatus(state, typeUrl, sequence) })).filter(({ status }) => status !== 'acked'),
  );
}

function nacked({ state, typeUrl }: Missing): FakeIstiodError {
  const text = state.watches.get(typeUrl)?.rejected?.text ?? '';
  return new FakeIstiodError('push.nacked', `${state.node?.id ?? 'the client'} rejected ${resourceType(typeUrl).short}: ${text}`);
}

function timedOut(states: readonly StreamState[], push: Pick<Push, 'sequence' | 'typeUrls'>, options: AckedOptions, timeoutMs: number): FakeIstiodError {
  const after = `not acknowledged within ${timeoutMs / 1000} s`;
  if (states.length === 0) return new FakeIstiodError('wait.timed-out', `push ${after}: no client with node id ${options.node ?? '*'} is connected`);
  const lines = missingAcks(states, push).map(explained);
  return new FakeIstiodError('wait.timed-out', `push ${after}: ${lines.join('; ')}`);
}

const reasons: Readonly<Record<SyncStatus, string>> = {
  'not requested': 'the client has not asked for it yet',
  'not sent': 'not sent yet',
  withheld: 'withheld; release it',
  sent: 'sent, no answer yet',
  acked: 'acknowledged',
  nacked: 'rejected',
};

/** Says what one missing acknowledgement waits for; Envoy holds back its CDS ACK, and its LDS request, while clusters warm. */
function explained({ state, typeUrl, status }: Missing): string {
  const own = `${state.node?.id ?? ''} ${resourceType(typeUrl).short}: ${reasons[status]}`;
  const endpoints = state.watches.get(TypeUrl.endpoint);
  const warming = endpoints?.owed !== undefined || (endpoints !== undefined && endpoints.lastAcked === undefined);
  const pauses = (typeUrl === TypeUrl.cluster && status === 'sent') || (typeUrl === TypeUrl.listener && status === 'not requested');
  if (!pauses || !warming) return own;
  return `${own} (Envoy pauses while clusters warm: EDS is ${endpoints.owed ? 'withheld' : 'unanswered'} for ${[...endpoints.subscription.names].join(', ')})`;
}
