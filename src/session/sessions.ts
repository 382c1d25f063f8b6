import type { Clock } from '../clock.ts';
import type { Delivery } from '../faults/delivery.ts';
import type { Fault } from '../faults/fault.ts';
import { applyFaults } from '../faults/registry.ts';
import type { Node } from '../protocol/node.ts';
import type { ProtocolEvent, ResponseSent, Whose } from '../protocol/protocol-event.ts';
import type { Quirks } from '../protocol/quirks.ts';
import type { Response, Status } from '../protocol/response.ts';
import { SharedSteps } from '../protocol/shared-steps.ts';
import { matchesStream, type StreamMatcher } from '../protocol/stream-matcher.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { MessageKeeper } from './message-store.ts';
import { FanOut } from './fan-out.ts';
import type { Informant } from './informant.ts';
import { NodeList } from './node-list.ts';
import type { NodeState } from './node-state.ts';
import { Nonces } from './nonces.ts';
import type { SessionEvent } from './session-event.ts';
import { Refusals } from './refusals.ts';
import { Session, type SessionSurroundings } from './session.ts';
import type { Store } from './store.ts';
import { isRefused, openDoor, type Doorman, type Guest } from './doorman.ts';
import type { StreamAcceptor, StreamDescription, StreamHandler, StreamPort } from './stream-port.ts';
import { WaitingRoom } from './waiting-room.ts';

export interface SessionsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly quirks: Quirks;
  readonly rules: readonly WithholdRule[];
  readonly ready: boolean;
  /** Default: everybody is let in. */
  readonly doorman?: Doorman;
  /** Tells what happened, and gives the event's number in the timeline. */
  emit(event: ProtocolEvent | SessionEvent, whose?: Whose): number;
  /** Milliseconds since the timeline began. */
  nowMs(): number;
  /** Keeps what came in and went out. Default: nobody does. */
  readonly messages?: MessageKeeper | undefined;
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
  readonly refusals = new Refusals();
  /** Who answers questions about the server itself. Default: nobody, and the answer is empty. */
  informant: Informant | undefined;
  private inForce: readonly Fault[] = [];
  private readonly movedListeners = new Set<() => void>();
  private readonly fanOut = new FanOut(() => this.tellMoved());
  private isReady: boolean;
  private readonly readyListeners = new Set<() => void>();
  private readonly live = new Map<number, Session>();
  private readonly surroundings: SessionSurroundings & { quirks: Quirks; heartbeats: boolean };
  private readonly nodeList = new NodeList();
  private readonly options: SessionsOptions;
  private rules: readonly WithholdRule[];
  private readonly ended = new Map<number, Node>();
  private count = 0;
  private readonly nonces = new Nonces();

  constructor(options: SessionsOptions) {
    this.options = options;
    this.rules = options.rules;
    this.isReady = options.ready;
    this.surroundings = this.makeSurroundings();
  }

  /** What strikes responses on their way out from now on. */
  get faults(): readonly Fault[] {
    return this.inForce;
  }

  set faults(faults: readonly Fault[]) {
    this.fanOut.finish();
    this.inForce = faults;
  }

  /** How all streams behave from now on. */
  set quirks(quirks: Quirks) {
    this.fanOut.finish();
    this.surroundings.quirks = quirks;
  }

  /** Whether resources with a lifetime are kept on. */
  set heartbeats(on: boolean) {
    if (on === this.surroundings.heartbeats) return;
    this.surroundings.heartbeats = on;
    for (const session of this.all) for (const typeUrl of session.state.watches.keys()) session.beat(typeUrl);
  }

  /** The nodes that are connected, oldest first, and those that left. */
  get nodes(): readonly NodeState[] {
    return this.nodeList.list(this.all);
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

  /** Calls `listener` whenever streams have moved on to what is served that could not at once; the returned function ends it. */
  onMoved(listener: () => void): () => void {
    this.movedListeners.add(listener);
    return () => void this.movedListeners.delete(listener);
  }

  /** The streams open now, oldest first. */
  get all(): readonly Session[] {
    return [...this.live.values()];
  }

  /** A node that is connected or left not long ago. */
  node(id: string): NodeState | undefined {
    return this.nodeList.find(id, this.all);
  }

  /** What the first request of a connected node told of it. */
  nodeNamed(id: string): Node | undefined {
    return this.all.find(({ state }) => state.node?.id === id)?.state.node;
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
    const refused = this.ready ? this.refusals.statusFor(description, undefined) : notReady[description.variant];
    const decision = refused ?? (this.options.doorman ?? openDoor).receive(description);
    if (!(decision instanceof Promise)) return this.decided(stream, description, port, decision);
    return new WaitingRoom(decision, (made) => this.decided(stream, description, port, made));
  }

  /** Tells every session that what is served changed. With many the last ones hear it in later turns of the event loop. */
  publish(): void {
    this.surroundings.steps.forget();
    this.fanOut.begin(this.all);
  }

  /** Sends everything anew, changed or not, and tells to how many streams. */
  pushAll(): number {
    this.fanOut.finish();
    const meant = this.all;
    for (const session of meant) session.pushAll();
    return meant.length;
  }

  changeRules(rules: readonly WithholdRule[]): void {
    this.fanOut.finish();
    this.rules = rules;
    for (const session of this.all) session.changeRules(rules);
  }

  /** Ends matching streams and tells how many. */
  close(status: Status, streams?: StreamMatcher): number {
    this.fanOut.finish();
    const meant = this.all.filter(({ state }) => matchesStream(streams, state));
    for (const session of meant) session.end(status);
    return meant.length;
  }

  private decided(stream: number, description: StreamDescription, port: StreamPort, decision: Guest | Status): Session | undefined {
    const { credentials: _, ...facts } = description;
    if (isRefused(decision)) {
      this.options.emit({ event: 'stream.refused', stream, ...facts, code: decision.code, text: decision.message });
      port.end(decision);
      return undefined;
    }
    const openedAtMs = this.options.nowMs();
    const session = new Session(stream, { description, port, rules: this.rules, guest: decision, openedAtMs }, this.surroundings);
    this.live.set(stream, session);
    this.options.emit({ event: 'stream.opened', stream, ...facts });
    return session;
  }

  private end(session: Session): void {
    const { stream, node } = session.state;
    this.live.delete(stream);
    this.nodeList.ended(session, this.options.nowMs());
    if (node) this.ended.set(stream, node);
    if (this.ended.size > rememberedStreams) this.ended.delete(this.ended.keys().next().value as number);
  }

  private tellMoved(): void {
    for (const listener of [...this.movedListeners]) listener();
  }

  private delivery(response: Response, node: Node | undefined): Delivery {
    if (this.inForce.length === 0) return { response, delayMs: 0, dropped: false };
    const { delivery, faults } = applyFaults(this.inForce, response, node);
    this.inForce = faults;
    return delivery;
  }

  private makeSurroundings(): SessionSurroundings & { quirks: Quirks; heartbeats: boolean } {
    const { store, clock, quirks, messages, emit } = this.options;
    const informant = (): Informant | undefined => this.informant;
    // A push sends one and the same response to many streams, one after the other.
    let told: { readonly response: Response; readonly event: ResponseSent } | undefined;
    return {
      steps: new SharedSteps(),
      sentEvent: (response, make) => (told?.response === response ? told : (told = { response, event: make() })).event,
      clock,
      quirks,
      heartbeats: true,
      emit,
      messages,
      get informant() {
        return informant();
      },
      snapshotFor: (node) => store.snapshotFor(node),
      delivery: (response, node) => this.delivery(response, node),
      refusal: (description, node) => this.refusals.statusFor(description, node),
      named: (session, id) => this.nodeList.named(session, id),
      ended: (session) => this.end(session),
      moved: () => this.tellMoved(),
      nonce: (version, typeUrl, last) => this.nonces.next(version, typeUrl, last),
    };
  }
}
