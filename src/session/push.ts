import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { matchesPattern } from '../protocol/node.ts';
import { resourceType, TypeUrl, typeUrlNamed } from '../protocol/resource-type.ts';
import { syncStatus, type SyncStatus } from '../protocol/sync.ts';
import type { StreamState } from '../protocol/stream-state.ts';
import type { Published } from './store.ts';

/** Whose acknowledgement is awaited, of what, and for how long. */
export interface AckedOptions {
  /** A node id, in which `*` stands for any characters. Left out: every client that is connected. */
  readonly node?: string;
  /** Resource types (`CDS`, a type URL …) whose acknowledgement is enough; for clients that do not ask for all. Left out: all published. */
  readonly types?: readonly string[];
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
   * Resolves when the client has accepted this content (or newer) of every type published, unchanged ones too. Rejects with `push.nacked`
   * and the client's own text, with `wait.timed-out`, what is still missing and why, and the last ten events, or with `istiod.stopped`.
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
  /** Aborted, with the reason, when nothing will happen any more. */
  readonly ended: AbortSignal;
  /** What happened last, for a wait that fails. */
  lastEvents?(): string;
}

/** An acknowledgement that has not come. */
interface Missing {
  readonly node: string;
  readonly typeUrl: string;
  readonly status: SyncStatus;
  /** All streams of the node: what one asks for may explain what another waits for. */
  readonly streams: readonly StreamState[];
}

/** What is awaited. */
interface Awaited {
  readonly sequence: number;
  readonly typeUrls: readonly string[];
  readonly node: string;
}

/** The push that `published` tells of. */
export function createPush(published: Published, surroundings: PushSurroundings): Push {
  const { version, sequence, changed } = published;
  return { version, sequence, typeUrls: changed, acked: (options = {}) => awaitAcks(published, options, surroundings) };
}

async function awaitAcks({ sequence, published }: Published, options: AckedOptions, surroundings: PushSurroundings): Promise<void> {
  const awaited: Awaited = { sequence, typeUrls: options.types?.map(typeUrlNamed) ?? published, node: options.node ?? '*' };
  if (options.node === undefined && clientsOf(surroundings.streams(), awaited).size === 0) {
    const remedy = 'Wait for a request.received event first, or name the node to wait for: acked({ node })';
    throw new FakeIstiodError('wait.timed-out', 'no client is connected, so none can acknowledge the push', { remedy });
  }
  await untilAcked(awaited, options.timeoutMs ?? 10_000, surroundings);
}

function untilAcked(awaited: Awaited, timeoutMs: number, { clock, streams, onChange, ended, lastEvents }: PushSurroundings): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopWatching: () => void = () => undefined;
    let callOff: () => void = () => undefined;
    const settle = (finish: () => void): void => {
      stopWatching();
      callOff();
      ended.removeEventListener('abort', stopped);
      finish();
    };
    const stopped = (): void => settle(() => reject(ended.reason as Error));
    const look = (): void => {
      const clients = clientsOf(streams(), awaited);
      const missing = missingAcks(clients, awaited);
      const rejected = missing.find(({ status }) => status === 'nacked');
      if (rejected) settle(() => reject(nacked(rejected)));
      else if (clients.size > 0 && missing.length === 0) settle(resolve);
    };
    if (ended.aborted) return stopped();
    ended.addEventListener('abort', stopped);
    callOff = clock.after(timeoutMs, () =>
      settle(() => reject(timedOut(missingAcks(clientsOf(streams(), awaited), awaited), awaited, timeoutMs, lastEvents?.()))),
    );
    stopWatching = onChange(look);
    look();
  });
}

/** The streams of each node meant: a client may speak on one stream (ADS) or on one per type. */
function clientsOf(streams: readonly StreamState[], { node: pattern }: Awaited): ReadonlyMap<string, readonly StreamState[]> {
  const clients = new Map<string, StreamState[]>();
  for (const state of streams) {
    if (!state.node || !matchesPattern(pattern, state.node.id)) continue;
    const own = clients.get(state.node.id);
    if (own) own.push(state);
    else clients.set(state.node.id, [state]);
  }
  return clients;
}

function missingAcks(clients: ReadonlyMap<string, readonly StreamState[]>, { sequence, typeUrls }: Awaited): readonly Missing[] {
  return [...clients].flatMap(([node, streams]) =>
    typeUrls.flatMap((typeUrl): Missing[] => {
      const asked = streams.map((state) => syncStatus(state, typeUrl, sequence)).filter((status) => status !== 'not requested');
      const open: readonly SyncStatus[] = asked.length > 0 ? asked.filter((status) => status !== 'acked') : ['not requested'];
      return open.map((status) => ({ node, typeUrl, status, streams }));
    }),
  );
}

function nacked({ node, typeUrl, streams }: Missing): FakeIstiodError {
  const text = streams.flatMap(({ watches }) => watches.get(typeUrl)?.rejected?.text ?? [])[0] ?? '';
  return new FakeIstiodError('push.nacked', `${node} rejected ${resourceType(typeUrl).short}: ${text}`);
}

function timedOut(missing: readonly Missing[], { node }: Awaited, timeoutMs: number, lastEvents: string | undefined): FakeIstiodError {
  const after = `not acknowledged within ${timeoutMs / 1000} s`;
  const why = missing.length > 0 ? missing.map(explained).join('; ') : `no client with node id ${node} is connected`;
  return new FakeIstiodError('wait.timed-out', [`push ${after}: ${why}`, lastEvents].filter(Boolean).join('\n'));
}

const reasons: Readonly<Record<SyncStatus, string>> = {
  'not requested': 'the client has not asked for it yet (a client that never will: name the types to wait for, acked({ types }))',
  'not sent': 'not sent yet',
  withheld: 'withheld; release it',
  sent: 'sent, no answer yet',
  acked: 'acknowledged',
  nacked: 'rejected',
};

/** Says what one missing acknowledgement waits for. */
function explained(missing: Missing): string {
  const { node, typeUrl, status, streams } = missing;
  const cause = streams.flatMap((state) => causeIn(state, missing) ?? [])[0];
  return `${node} ${resourceType(typeUrl).short}: ${cause && status === 'not requested' ? 'the client has not asked for it yet' : reasons[status]}${cause ? ` (${cause})` : ''}`;
}

/** Envoy holds back its CDS ACK, and its LDS request, while clusters warm; without clusters it asks for no listeners at all. */
function causeIn({ watches }: StreamState, { typeUrl, status }: Missing): string | undefined {
  const pauses = (typeUrl === TypeUrl.cluster && status === 'sent') || (typeUrl === TypeUrl.listener && status === 'not requested');
  if (!pauses) return undefined;
  const endpoints = watches.get(TypeUrl.endpoint);
  const unanswered = endpoints && (endpoints.debt ?? (endpoints.unanswered.length > 0 || !endpoints.held));
  if (unanswered)
    return `Envoy pauses while clusters warm: EDS is ${endpoints.debt ? 'withheld' : 'unanswered'} for ${namesIn(endpoints).join(', ')}`;
  return watches.get(TypeUrl.cluster)?.debt ? 'Envoy asks for it once its clusters are ready, and CDS is withheld' : undefined;
}

function namesIn({ subscription, debt }: NonNullable<ReturnType<StreamState['watches']['get']>>): readonly string[] {
  return [...(debt && debt.names !== 'all' ? debt.names : subscription.names)];
}
