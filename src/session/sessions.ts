import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Delivery } from '../faults/delivery.ts';
import type { Fault } from '../faults/fault.ts';
import { applyFaults } from '../faults/registry.ts';
import type { Node } from '../protocol/node.ts';
import type { ProtocolEvent } from '../protocol/protocol-event.ts';
import type { Quirks } from '../protocol/quirks.ts';
import type { Cause, Response, Status } from '../protocol/response.ts';
import { matchesStream, type StreamMatcher } from '../protocol/stream-matcher.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { SessionEvent } from './session-event.ts';
import { Session, type SessionSurroundings } from './session.ts';
import type { Store } from './store.ts';
import { isRefused, openDoor, type Doorman, type Guest } from './doorman.ts';
import type { StreamAcceptor, StreamDescription, StreamHandler, StreamPort } from './stream-port.ts';
import { WaitingRoom } from './waiting-room.ts';

/** New streams that are not let in: the next `left`, or all of them. */
interface Refusal {
  readonly status: Status;
  readonly streams: StreamMatcher | undefined;
  left: number;
}

export interface SessionsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly quirks: Quirks;
  readonly rules: readonly WithholdRule[];
  readonly ready: boolean;
  /** Default: everybody is let in. */
  readonly doorman?: Doorman;
  emit(event: ProtocolEvent | SessionEvent): void;
}

/** How many ended streams are remembered, for scripts that ask whose stream it was. */
const rememberedStreams = 32;

/** istiod before its caches are full; SotW gives a gRPC status, delta a plain Go error (istio pilot/pkg/xds/delta.go). */
const notReadyText = 'server is not ready to serve discovery information';
const notReady: Readonly<Record<'sotw' | 'delta', Status>> = {
  sotw: { code: 14, message: notReadyText },
  delta: { code: 2, message: notReadyText },
};

/** The live sessions, and what is decided for all of them: who may come in, what is withheld, which faults are in force. */
export class Sessions implements StreamAcceptor {
  faults: readonly Fault[] = [];
  private isReady: boolean;
  private readonly readyListeners = new Set<() => void>();
  private readonly live = new Map<number, Session>();
  private readonly surroundings: SessionSurroundings;
  private readonly options: SessionsOptions;
  private rules: readonly WithholdRule[];
  private refusals: Refusal[] = [];
  private readonly ended = new Map<number, Node>();
  private count = 0;
  private readonly pushNonces = new Map<string, string>();
  private pushVersion = '';

  constructor(options: SessionsOptions) {
    this.options = options;
    this.rules = options.rules;
    this.isReady = options.ready;
    this.surroundings = this.makeSurroundings();
  }

  /** False: new streams are refused, as by an istiod whose caches are not full. */
  get ready(): boolean {
    return this.isReady;
  }

  set ready(ready: boolean) {
    this.isReady = ready;
    for (const listener of [...this.readyListeners]) listener();
  }

  /** Calls `listener` whenever `ready` may have changed; the returned function ends it. */
  onReadyChange(listener: () => void): () => void {
    this.readyListeners.add(listener);
    return () => void this.readyListeners.delete(listener);
  }

  /** The streams open now, oldest first. */
  get all(): readonly Session[] {
    return [...this.live.values()];
  }

  /** The node of a stream that is open or ended not long ago. */
  nodeOf(stream: unknown): Node | undefined {
    return typeof stream === 'number' ? (this.live.get(stream)?.state.node ?? this.ended.get(stream)) : undefined;
  }

  get withheld(): readonly WithholdRule[] {
    return this.rules;
  }

  open(description: StreamDescription, port: StreamPort): StreamHandler | undefined {
    this.count += 1;
    const stream = this.count;
    const refused = this.ready ? this.refusal(description, undefined) : notReady[description.variant];
    const decision = refused ?? (this.options.doorman ?? openDoor).receive(description);
    if (!(decision instanceof Promise)) return this.decided(stream, description, port, decision);
    return new WaitingRoom(decision, (made) => this.decided(stream, description, port, made));
  }

  /** Tells every session that what is served changed. */
  publish(): void {
    for (const session of this.all) session.publish();
  }

  changeRules(rules: readonly WithholdRule[]): void {
    this.rules = rules;
    for (const session of this.all) session.changeRules(rules);
  }

  close(status: Status, streams?: StreamMatcher): void {
    for (const session of this.all) if (matchesStream(streams, session.state)) session.end(status);
  }

  /** New streams that match are refused with `status`: the next `count`, or all until `accept`. */
  refuse(status: Status, count = Infinity, streams?: StreamMatcher): void {
    this.refusals.push({ status, left: count, streams });
  }

  accept(): void {
    this.refusals = [];
  }

  private decided(stream: number, description: StreamDescription, port: StreamPort, decision: Guest | Status): Session | undefined {
    const { credentials: _, ...facts } = description;
    if (isRefused(decision)) {
      this.options.emit({ event: 'stream.refused', stream, ...facts, code: decision.code, text: decision.message });
      port.end(decision);
      return undefined;
    }
    const session = new Session(stream, { description, port, rules: this.rules, guest: decision }, this.surroundings);
    this.live.set(stream, session);
    this.options.emit({ event: 'stream.opened', stream, ...facts });
    return session;
  }

  private end({ state: { stream, node } }: Session): void {
    this.live.delete(stream);
    if (node) this.ended.set(stream, node);
    if (this.ended.size > rememberedStreams) this.ended.delete(this.ended.keys().next().value as number);
  }

  private refusal(description: StreamDescription, node: Node | undefined): Status | undefined {
    const found = this.refusals.find(
      ({ streams }) => (streams?.node !== undefined) === (node !== undefined) && matchesStream(streams, { ...description, node }),
    );
    if (!found) return undefined;
    found.left -= 1;
    if (found.left <= 0) this.refusals = this.refusals.filter((refusal) => refusal !== found);
    return found.status;
  }

  private delivery(response: Response, node: Node | undefined): Delivery {
    const { delivery, faults } = applyFaults(this.faults, response, node);
    this.faults = faults;
    return delivery;
  }

  private makeSurroundings(): SessionSurroundings {
    const { store, clock, quirks } = this.options;
    return {
      clock,
      quirks,
      emit: this.options.emit,
      snapshotFor: (node) => store.snapshotFor(node),
      delivery: (response, node) => this.delivery(response, node),
      refusal: (description, node) => this.refusal(description, node),
      ended: (session) => this.end(session),
      nonce: (version, typeUrl, cause) => this.nonce(version, typeUrl, cause),
    };
  }

  /** istiod's form, version and UUID without a separator. One per push and type; replies never share theirs. */
  private nonce(version: string, typeUrl: string, cause: Cause): string {
    if (cause !== 'push') return `${version}${randomUUID()}`;
    if (version !== this.pushVersion) {
      this.pushVersion = version;
      this.pushNonces.clear();
    }
    const nonce = this.pushNonces.get(typeUrl) ?? `${version}${randomUUID()}`;
    this.pushNonces.set(typeUrl, nonce);
    return nonce;
  }
}
