import type { Clock } from '../clock.ts';
import type { Delivery } from '../faults/delivery.ts';
import type { Node } from '../protocol/node.ts';
import { withRoom, type ProtocolEvent, type ResponseSent, type Whose } from '../protocol/protocol-event.ts';
import type { ClientRequest } from '../protocol/request.ts';
import { namesOf } from '../protocol/resource.ts';
import { resourceType } from '../protocol/resource-type.ts';
import type { Response, Status } from '../protocol/response.ts';
import type { Snapshot } from '../protocol/snapshot.ts';
import type { Input } from '../protocol/stream-input.ts';
import type { SharedSteps } from '../protocol/shared-steps.ts';
import { newStream, streamFacts, type StreamState, type Surroundings } from '../protocol/stream-state.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import type { Guest } from './doorman.ts';
import type { MessageKeeper } from './message-store.ts';
import type { NodeStream, NodeTypeCounts } from './node-state.ts';
import { Heartbeats } from './heartbeats.ts';
import { informationOf, type Informant } from './informant.ts';
import { Outbox } from './outbox.ts';
import type { SessionEvent } from './session-event.ts';
import type { StreamDescription, StreamHandler, StreamPort } from './stream-port.ts';

/** What all sessions of a server share. */
export interface SessionSurroundings extends Surroundings {
  readonly clock: Clock;
  /** Tells what happened, and gives the event's number in the timeline. `whose`: takes the place of what the event itself says of that. */
  emit(event: ProtocolEvent | SessionEvent, whose?: Whose): number;
  readonly steps: SharedSteps;
  /** The event that tells of a response, made once for all who are sent it: whose it is comes later. */
  sentEvent(response: Response, make: () => ResponseSent): ResponseSent;
  /** Keeps what came in and went out, if anybody does. */
  readonly messages: MessageKeeper | undefined;
  /** False: resources with a lifetime are left to run out. */
  readonly heartbeats: boolean;
  snapshotFor(node: Node | undefined): Snapshot;
  /** How a finished response leaves, the faults in force having struck it. */
  delivery(response: Response, node: Node | undefined): Delivery;
  /** Why a stream of this node may not stay, asked once when the node is known. */
  refusal(description: StreamDescription, node: Node): Status | undefined;
  /** Told whose stream it is, once that is known, and when it changes. */
  named(session: Session, nodeId: string): void;
  ended(session: Session): void;
  /** Told when a stream that could not at once has moved on to what is served. */
  moved(): void;
  /** Who answers questions about the server itself, if anybody does. */
  readonly informant: Informant | undefined;
}

/** How a stream came in. */
export interface Entry {
  readonly description: StreamDescription;
  readonly port: StreamPort;
  /** What is withheld from the start. */
  readonly rules: readonly WithholdRule[];
  readonly guest: Guest;
  /** In milliseconds since the timeline began. */
  readonly openedAtMs: number;
}

type Counts = { -readonly [K in keyof NodeTypeCounts]: number };

const nothingCounted: NodeTypeCounts = { requests: 0, responses: 0, acks: 0, nacks: 0, withheld: 0 };

/** What each event of a type adds to. */
const countedBy: Readonly<Partial<Record<ProtocolEvent['event'], keyof NodeTypeCounts>>> = {
  'request.received': 'requests',
  'response.acked': 'acks',
  'response.nacked': 'nacks',
  'response.withheld': 'withheld',
  'response.sent': 'responses',
};

/** Our side of one xDS stream: it feeds the state machine and carries out what comes of it, one input at a time. */
export class Session implements StreamHandler {
  private current: StreamState;
  private readonly inbox: Input[] = [];
  private working = false;
  /** Settled once every question about the server itself is answered. */
  private informed: Promise<void> = Promise.resolve();
  private readonly informedNonces = new Map<string, string>();
  private over = false;
  private whose: Whose;
  /** What is to be told as soon as the client reads again. Of what is served the newest counts, so it never grows. */
  private putOff: 'publish' | 'push-all' | undefined;
  private readonly beatsPutOff = new Set<string>();
  private readonly outbox: Outbox;
  private readonly heartbeats: Heartbeats;
  private readonly counts = new Map<string, Counts>();
  private readonly entry: Entry;
  private readonly surroundings: SessionSurroundings;

  constructor(stream: number, entry: Entry, surroundings: SessionSurroundings) {
    this.current = newStream(stream, entry.description.variant, entry.rules);
    this.whose = { stream };
    this.entry = entry;
    this.surroundings = surroundings;
    this.outbox = new Outbox(surroundings.clock, (response) => this.leave(response));
    this.heartbeats = new Heartbeats(surroundings.clock, (typeUrl) => this.beat(typeUrl));
  }

  get state(): StreamState {
    return this.current;
  }

  /** What is known of the stream itself. */
  get stream(): NodeStream {
    const { description, guest, openedAtMs } = this.entry;
    const { credentials: _, ...facts } = description;
    return { stream: this.current.stream, ...facts, openedAtMs, ...(guest.identity ? { identity: guest.identity } : {}) };
  }

  /** What happened to a type so far. */
  countsOf(typeUrl: string): NodeTypeCounts {
    return { ...nothingCounted, ...this.counts.get(typeUrl) };
  }

  receive(request: ClientRequest): void {
    if (this.over) return;
    const newcomer = !this.current.node && request.node;
    const refused = newcomer
      ? (this.surroundings.refusal(this.entry.description, newcomer) ?? this.entry.guest.mayBe(newcomer))
      : undefined;
    if (refused) return this.end(refused);
    this.take({ kind: 'request', request, snapshot: this.surroundings.snapshotFor(request.node ?? this.current.node) });
  }

  /** Moves on to what is served now; a client that does not read does so when it reads again, past whatever was served between. */
  publish(): void {
    this.move('publish');
  }

  /** Sends everything anew, changed or not. */
  pushAll(): void {
    this.move('push-all');
  }

  drained(): void {
    const { putOff } = this;
    this.putOff = undefined;
    if (putOff) {
      this.move(putOff);
      this.surroundings.moved();
    }
    for (const typeUrl of [...this.beatsPutOff]) this.beat(typeUrl);
  }

  changeRules(rules: readonly WithholdRule[]): void {
    this.take({ kind: 'rules', rules });
  }

  /** Tells the client that it may keep what it has of a type, as far as that has a lifetime. */
  beat(typeUrl: string): void {
    this.beatsPutOff.delete(typeUrl);
    if (!this.surroundings.heartbeats) return;
    if (this.entry.port.blocked) this.beatsPutOff.add(typeUrl);
    else this.take({ kind: 'heartbeat', typeUrl });
  }

  get settled(): Promise<void> {
    return this.informed;
  }

  /** Ends the stream with a status; the transport reports the end through `closed`. */
  end(status: Status): void {
    if (this.over) return;
    this.entry.port.end(status);
    this.closed('server', status);
  }

  closed(by: 'client' | 'server', status: Status): void {
    if (this.over) return;
    this.over = true;
    this.outbox.clear();
    this.heartbeats.clear();
    this.surroundings.ended(this);
    this.surroundings.emit({ event: 'stream.closed', ...streamFacts(this.current), by, code: status.code, text: status.message });
  }

  private move(kind: 'publish' | 'push-all'): void {
    if (!this.current.node || this.over) return;
    if (this.entry.port.blocked) this.putOff = this.putOff === 'push-all' ? 'push-all' : kind;
    else this.take({ kind, snapshot: this.surroundings.snapshotFor(this.current.node) });
  }

  /** An input that arrives while another is worked off waits for its turn: a listener may well call back into the server. */
  private take(input: Input): void {
    if (this.over) return;
    if (this.working) return void this.inbox.push(input);
    this.working = true;
    try {
      for (let next: Input | undefined = input; next && !this.over; next = this.inbox.shift()) this.work(next);
    } finally {
      this.working = false;
    }
  }

  private work(input: Input): void {
    const { state, effects } = this.surroundings.steps.transition(this.current, input, this.surroundings);
    this.current = state;
    if (state.node && state.node.id !== this.whose.node) this.named(state.node.id);
    for (const effect of effects) {
      if (this.over) return;
      if (effect.kind === 'emit') this.tell(effect.event, input.kind === 'request' ? input.request : undefined);
      else if (effect.kind === 'respond') this.dispatch(effect.response);
      else if (effect.kind === 'inform') this.informed = this.informed.then(() => this.inform(effect.request));
      else this.end(effect.status);
    }
  }

  private named(node: string): void {
    this.whose = { stream: this.current.stream, node };
    this.surroundings.named(this, node);
  }

  /** Answers a question about the server itself; the next one waits for that. */
  private async inform({ typeUrl, ...request }: ClientRequest): Promise<void> {
    const { description, guest } = this.entry;
    const { node, stream, variant } = this.current;
    if (this.over || !node) return;
    const names = request.variant === 'sotw' ? request.names : request.subscribe;
    const answer = await informationOf(this.surroundings.informant, {
      typeUrl,
      names,
      stream,
      node,
      description,
      identity: guest.identity,
    });
    if (this.over) return;
    if ('code' in answer) return this.end(answer);
    const { version, sequence } = this.current.snapshot;
    const nonce = this.surroundings.nonce(version, typeUrl, this.informedNonces.get(typeUrl));
    this.informedNonces.set(typeUrl, nonce);
    this.dispatch({ variant, typeUrl, version, nonce, ...answer, removed: [], cause: 'reply', sequence });
  }

  private dispatch(response: Response): void {
    const { delayMs, dropped } = this.surroundings.delivery(response, this.current.node);
    if (dropped) return void this.surroundings.emit({ event: 'response.dropped', ...this.facts(response) });
    const waitMs = this.outbox.waitFor(response, delayMs);
    if (waitMs > 0) this.surroundings.emit({ event: 'response.delayed', ...this.facts(response), delayMs: Math.round(waitMs) });
    this.outbox.add(response, waitMs);
  }

  private leave(response: Response): void {
    if (this.over) return;
    this.tell(
      this.surroundings.sentEvent(response, () => this.sentEvent(response)),
      response,
    );
    this.entry.port.send(response);
    this.heartbeats.sent(response);
  }

  private sentEvent(response: Response): ResponseSent {
    const { removed, cause, resources } = response;
    return withRoom({ event: 'response.sent', ...this.facts(response), names: namesOf(resources), removed, cause });
  }

  /** `message`: what a request or response that is told of looks like. */
  private tell(event: ProtocolEvent, message: ClientRequest | Response | undefined): void {
    this.count(event);
    const seq = this.surroundings.emit(event, this.whose);
    if (message && (event.event === 'request.received' || event.event === 'response.sent')) this.surroundings.messages?.keep(seq, message);
  }

  private count({ event, typeUrl }: ProtocolEvent): void {
    const counted = countedBy[event];
    if (!counted) return;
    let counts = this.counts.get(typeUrl);
    if (!counts) this.counts.set(typeUrl, (counts = { ...nothingCounted }));
    counts[counted] += 1;
  }

  private facts({ typeUrl, version, nonce }: Response) {
    const { stream, variant, node } = this.current;
    const type = resourceType(typeUrl).short;
    return node ? { stream, variant, node: node.id, typeUrl, type, version, nonce } : { stream, variant, typeUrl, type, version, nonce };
  }
}
