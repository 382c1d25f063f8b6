import type { Clock } from '../clock.ts';
import { FakeIstiodError } from '../errors.ts';
import { matchesPattern } from '../protocol/node.ts';
import { resourceType, typeUrlNamed } from '../protocol/resource-type.ts';
import { syncStatus, type SyncStatus } from '../protocol/sync.ts';
import type { StreamState } from '../protocol/stream-state.ts';
import { missingText, type Missing } from './missing-ack.ts';
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

/** The client's refusal. */
type Rejected = Exclude<Missing, { status: 'gone' }>;

/** What is awaited. */
interface Awaited {
  readonly sequence: number;
  readonly typeUrls: readonly string[];
  readonly node: string;
  /** Node ids of those who were connected when the wait began: one that goes away meanwhile has accepted nothing. */
  readonly present: readonly string[];
}

/** The push that `published` tells of. */
export function createPush(published: Published, surroundings: PushSurroundings): Push {
  const { version, sequence, changed } = published;
  return { version, sequence, typeUrls: changed, acked: (options = {}) => awaitAcks(published, options, surroundings) };
}

async function awaitAcks({ sequence, published }: Published, options: AckedOptions, surroundings: PushSurroundings): Promise<void> {
  const typeUrls = options.types?.map(typeUrlNamed) ?? published;
  const node = options.node ?? '*';
  const present = [...clientsOf(surroundings.streams(), node).keys()];
  if (options.node === undefined && present.length === 0) {
    const remedy = 'Wait for a request.received event first, or name the node to wait for: acked({ node })';
    throw new FakeIstiodError('wait.timed-out', 'no client is connected, so none can acknowledge the push', { remedy });
  }
  await untilAcked({ sequence, typeUrls, node, present }, options.timeoutMs ?? 10_000, surroundings);
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
      const clients = clientsOf(streams(), awaited.node);
      const missing = missingAcks(clients, awaited);
      const rejected = missing.find((one): one is Rejected => one.status === 'nacked');
      if (rejected) settle(() => reject(nacked(rejected)));
      else if (clients.size > 0 && missing.length === 0) settle(resolve);
    };
    if (ended.aborted) return stopped();
    ended.addEventListener('abort', stopped);
    callOff = clock.after(timeoutMs, () =>
      settle(() => reject(timedOut(missingAcks(clientsOf(streams(), awaited.node), awaited), awaited, timeoutMs, lastEvents?.()))),
    );
    stopWatching = onChange(look);
    look();
  });
}

/** The streams of each node meant: a client may speak on one stream (ADS) or on one per type. */
function clientsOf(streams: readonly StreamState[], pattern: string): ReadonlyMap<string, readonly StreamState[]> {
  const clients = new Map<string, StreamState[]>();
  for (const state of streams) {
    if (!state.node || !matchesPattern(pattern, state.node.id)) continue;
    const own = clients.get(state.node.id);
    if (own) own.push(state);
    else clients.set(state.node.id, [state]);
  }
  return clients;
}

function missingAcks(clients: ReadonlyMap<string, readonly StreamState[]>, { sequence, typeUrls, present }: Awaited): readonly Missing[] {
  const gone = present.filter((node) => !clients.has(node)).map((node): Missing => ({ node, status: 'gone' }));
  const open = [...clients].flatMap(([node, streams]) =>
    typeUrls.flatMap((typeUrl): Missing[] => {
      const asked = streams.map((state) => syncStatus(state, typeUrl, sequence)).filter((status) => status !== 'not requested');
      const left: readonly SyncStatus[] = asked.length > 0 ? asked.filter((status) => status !== 'acked') : ['not requested'];
      return left.map((status) => ({ node, typeUrl, status, streams }));
    }),
  );
  return [...open, ...gone];
}

function nacked({ node, typeUrl, streams }: Rejected): FakeIstiodError {
  const text = streams.flatMap(({ watches }) => watches.get(typeUrl)?.rejected?.text ?? [])[0] ?? '';
  return new FakeIstiodError('push.nacked', `${node} rejected ${resourceType(typeUrl).short}: ${text}`);
}

function timedOut(missing: readonly Missing[], { node }: Awaited, timeoutMs: number, lastEvents: string | undefined): FakeIstiodError {
  const after = `not acknowledged within ${timeoutMs / 1000} s`;
  const why = missing.length > 0 ? missing.map(missingText).join('; ') : `no client with node id ${node} is connected`;
  return new FakeIstiodError('wait.timed-out', [`push ${after}: ${why}`, lastEvents].filter(Boolean).join('\n'));
}
