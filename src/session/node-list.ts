import type { Node } from '../protocol/node.ts';
import { inPushOrder, resourceType } from '../protocol/resource-type.ts';
import { isWildcard } from '../protocol/subscription.ts';
import { syncStatus, type SyncStatus } from '../protocol/sync.ts';
import type { StreamState } from '../protocol/stream-state.ts';
import type { Watch } from '../protocol/watch.ts';
import { valueBytes } from './value-bytes.ts';
import type { NodeState, NodeStream, NodeType, NodeTypeCounts } from './node-state.ts';

/** What the list needs of a session. */
export interface ListedSession {
  readonly state: StreamState;
  readonly stream: NodeStream;
  /** What happened to a type so far. */
  countsOf(typeUrl: string): NodeTypeCounts;
}

/** A node of which streams ended. */
interface Parted {
  readonly node: Node;
  readonly types: readonly NodeType[];
  /** Undefined while other streams of it are open. */
  readonly leftAtMs: number | undefined;
  /** About what all this takes. */
  readonly bytes: number;
}

/**
 * How many nodes that left stay listed, and what they may take, in bytes: whoever asks after a proxy was stopped finds it, and a load test
 * does not fill the memory. The last one stays, whatever it takes.
 */
const keptNodes = 100;
const keptBytes = 32 * 1024 * 1024;

/** The nodes that are connected, and those that were. */
export class NodeList {
  /** In the order of leaving. */
  private readonly parted = new Map<string, Parted>();
  private partedBytes = 0;
  /** How many streams each node has; so the end of one need not look at all others. */
  private readonly streams = new Map<string, number>();
  private readonly known = new Map<ListedSession, string>();

  /** All nodes: the connected ones by their oldest stream, then those that left, the last one first. */
  list(sessions: readonly ListedSession[]): readonly NodeState[] {
    const connected = groupsOf(sessions);
    const left = [...this.parted.values()].filter(({ node, leftAtMs }) => leftAtMs !== undefined && !connected.has(node.id));
    return [...[...connected.values()].map(connectedNode), ...left.reverse().map(leftNode)];
  }

  /** One node, looked for without making the state of all others. */
  find(id: string, sessions: readonly ListedSession[]): NodeState | undefined {
    const own = sessions.filter(({ state }) => state.node?.id === id);
    if (own.length > 0) return connectedNode(own);
    const parted = this.parted.get(id);
    return parted?.leftAtMs === undefined ? undefined : leftNode(parted);
  }

  /** Notes whose a stream is, as soon as that is known, or known otherwise. */
  named(session: ListedSession, id: string): void {
    this.forget(session);
    this.known.set(session, id);
    this.streams.set(id, (this.streams.get(id) ?? 0) + 1);
  }

  /** Notes that a stream is over. */
  ended(session: ListedSession, atMs: number): void {
    const { node } = session.state;
    this.forget(session);
    if (!node) return;
    const before = this.parted.get(node.id);
    const own = typesOf(session);
    const earlier = before?.leftAtMs === undefined ? (before?.types ?? []) : [];
    const types = [...earlier.filter(({ typeUrl }) => own.every((type) => type.typeUrl !== typeUrl)), ...own];
    const isLast = !this.streams.has(node.id);
    this.part({ node, types: inOrder(types), leftAtMs: isLast ? atMs : undefined, bytes: valueBytes([node, types]) });
  }

  private part(parted: Parted): void {
    this.dropParted(parted.node.id);
    this.parted.set(parted.node.id, parted);
    this.partedBytes += parted.bytes;
    for (const id of this.parted.keys()) {
      const { size } = this.parted;
      if (size === 1 || (size <= keptNodes && this.partedBytes <= keptBytes)) return;
      this.dropParted(id);
    }
  }

  private dropParted(id: string): void {
    this.partedBytes -= this.parted.get(id)?.bytes ?? 0;
    this.parted.delete(id);
  }

  private forget(session: ListedSession): void {
    const id = this.known.get(session);
    if (id === undefined) return;
    this.known.delete(session);
    const left = (this.streams.get(id) ?? 1) - 1;
    if (left > 0) this.streams.set(id, left);
    else this.streams.delete(id);
  }
}

function groupsOf(sessions: readonly ListedSession[]): ReadonlyMap<string, readonly ListedSession[]> {
  const groups = new Map<string, ListedSession[]>();
  for (const session of sessions) {
    const id = session.state.node?.id;
    if (id === undefined) continue;
    const group = groups.get(id);
    if (group) group.push(session);
    else groups.set(id, [session]);
  }
  return groups;
}

function connectedNode(sessions: readonly ListedSession[]): NodeState {
  // The newest stream has the newest word on who this is.
  const node = sessions.at(-1)?.state.node as Node;
  return Object.freeze({
    ...node,
    connected: true,
    streams: sessions.map(({ stream }) => stream),
    types: inOrder(sessions.flatMap(typesOf)),
  });
}

function leftNode({ node, types, leftAtMs }: Parted): NodeState {
  return Object.freeze({ ...node, connected: false, ...(leftAtMs === undefined ? {} : { leftAtMs }), streams: [], types });
}

function inOrder(types: readonly NodeType[]): readonly NodeType[] {
  const order = inPushOrder(new Set(types.map(({ typeUrl }) => typeUrl)));
  return [...types].sort((a, b) => order.indexOf(a.typeUrl) - order.indexOf(b.typeUrl) || a.stream - b.stream);
}

function typesOf(session: ListedSession): readonly NodeType[] {
  const { state } = session;
  return [...state.watches.values()].map((watch) => {
    const { typeUrl, subscription, lastSent, lastAcked, rejected, debt } = watch;
    return Object.freeze({
      typeUrl,
      type: resourceType(typeUrl).short,
      stream: state.stream,
      wildcard: subscription.wildcard,
      names: [...subscription.names],
      sync: syncOf(state, watch),
      ...(lastSent ? { sent: { version: lastSent.version, nonce: lastSent.nonce } } : {}),
      ...(lastAcked ? { acked: { version: lastAcked.version, nonce: lastAcked.nonce } } : {}),
      ...(rejected ? { nacked: { text: rejected.text } } : {}),
      ...(debt ? { withheld: debt.names === 'all' ? ('all' as const) : [...debt.names] } : {}),
      counts: session.countsOf(typeUrl),
    });
  });
}

/** Where the client stands with what it is served now. A client that asked, and wants nothing, has as good as not asked. */
function syncOf(state: StreamState, { typeUrl, subscription, lastSent, debt }: Watch): SyncStatus {
  if (lastSent || debt) return syncStatus(state, typeUrl, state.snapshot.sequence);
  return isWildcard(subscription) || subscription.names.size > 0 ? 'not sent' : 'not requested';
}
