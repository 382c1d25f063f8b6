import { classify } from './outcome.ts';
import type { Node } from './node.ts';
import type { ProtocolEvent, StreamFacts } from './protocol-event.ts';
import type { Quirks } from './quirks.ts';
import type { ClientRequest, Outcome, Variant } from './request.ts';
import { inPushOrder, resourceType, TypeUrl } from './resource-type.ts';
import type { Cause, Response, Status } from './response.ts';
import { emptySnapshot, typeState, type Snapshot, type TypeState } from './snapshot.ts';
import { isWildcard, type SubscriptionChange } from './subscription.ts';
import { variants, type Selection, type VariantRules } from './variant.ts';
import { addOwed, newWatch, type Owed, type SentResponse, type Watch } from './watch.ts';
import { withheldOf, type Withheld, type WithholdRule } from './withhold-rule.ts';

/** All that is known of one stream. A value: each transition makes a new one. */
export interface StreamState {
  readonly stream: number;
  readonly variant: Variant;
  readonly node?: Node;
  readonly snapshot: Snapshot;
  readonly rules: readonly WithholdRule[];
  readonly watches: ReadonlyMap<string, Watch>;
}

/** What can happen to a stream. `snapshot` is always the one that this stream's node is served now. */
export type Input =
  | { readonly kind: 'request'; readonly request: ClientRequest; readonly snapshot: Snapshot }
  | { readonly kind: 'publish'; readonly snapshot: Snapshot }
  | { readonly kind: 'rules'; readonly rules: readonly WithholdRule[] };

/** What is to be done after a transition, in this order. */
export type Effect =
  | { readonly kind: 'emit'; readonly event: ProtocolEvent }
  | { readonly kind: 'respond'; readonly response: Response }
  | { readonly kind: 'close'; readonly status: Status };

/** What the machine needs from outside and may not make itself. */
export interface Surroundings {
  readonly quirks: Quirks;
  /** A nonce for a response of this version: for a push the same for all streams that are sent the same, for a reply a fresh one. */
  nonce(version: string, typeUrl: string, cause: Cause): string;
}

export interface Transition {
  readonly state: StreamState;
  readonly effects: readonly Effect[];
}

export function newStream(stream: number, variant: Variant, rules: readonly WithholdRule[] = []): StreamState {
  return { stream, variant, snapshot: emptySnapshot, rules, watches: new Map() };
}

/** The one state machine, for SotW and delta alike: what a stream becomes, and what is to be done about it. */
export function transition(state: StreamState, input: Input, surroundings: Surroundings): Transition {
  const step = new Step(state, surroundings);
  if (input.kind === 'request') step.request(input.request, input.snapshot);
  else if (input.kind === 'publish') step.publish(input.snapshot);
  else step.changeRules(input.rules);
  return { state: step.result(), effects: step.effects };
}

/** The facts that every event of this stream carries. */
export function streamFacts(state: StreamState): StreamFacts {
  return { stream: state.stream, variant: state.variant, ...(state.node ? { node: state.node.id } : {}) };
}

const missingNode: Status = { code: 3, message: 'missing node information' };

/** One transition under way: the new state in the making and the effects so far. Lives for one call. */
class Step {
  readonly effects: Effect[] = [];
  private state: StreamState;
  private readonly watches: Map<string, Watch>;
  private readonly rules: VariantRules;
  private readonly surroundings: Surroundings;

  constructor(state: StreamState, surroundings: Surroundings) {
    this.state = state;
    this.surroundings = surroundings;
    this.watches = new Map(state.watches);
    this.rules = variants[state.variant];
  }

  result(): StreamState {
    return { ...this.state, watches: this.watches };
  }

  request(request: ClientRequest, snapshot: Snapshot): void {
    if (!this.learnNode(request)) return;
    this.state = { ...this.state, snapshot };
    const before = this.watches.get(request.typeUrl);
    const outcome = classify(before, request, this.rules);
    this.reportRequest(request, outcome);
    const change = this.ignoresSubscription(outcome) ? undefined : this.rules.changeSubscription(before, request);
    const watch = this.answered(before ?? newWatch(request.typeUrl), request, outcome, change);
    this.watches.set(request.typeUrl, watch);
    const owed = change ? this.owedFor(watch, outcome, change) : undefined;
    if (owed !== undefined && resourceType(request.typeUrl).answered) this.answer(request.typeUrl, owed, 'reply');
  }

  publish(snapshot: Snapshot): void {
    this.state = { ...this.state, snapshot };
    for (const typeUrl of inPushOrder(this.watches.keys())) {
      const watch = this.watches.get(typeUrl) as Watch;
      if (!resourceType(typeUrl).answered) continue;
      const owed = this.rules.due(watch, typeState(snapshot, typeUrl));
      if (owed !== undefined) this.answer(typeUrl, owed, 'push');
    }
  }

  changeRules(rules: readonly WithholdRule[]): void {
    this.state = { ...this.state, rules };
    for (const typeUrl of inPushOrder(this.watches.keys())) {
      const { owed } = this.watches.get(typeUrl) as Watch;
      if (owed !== undefined && this.isFreed(typeUrl, owed)) this.answer(typeUrl, owed, 'release');
    }
  }

  /** False if the stream ends because the first request does not say who asks. */
  private learnNode(request: ClientRequest): boolean {
    if (request.node?.id) this.state = { ...this.state, node: request.node };
    if (!this.state.node) {
      this.effects.push({ kind: 'close', status: missingNode });
      return false;
    }
    const parts = this.state.node.id.split('~').length;
    if (this.surroundings.quirks['node-id'] === 'four-parts' && parts !== 4) {
      this.effects.push({ kind: 'close', status: { code: 3, message: `missing parts in the service node "${this.state.node.id}"` } });
      return false;
    }
    return true;
  }

  private ignoresSubscription(outcome: Outcome): boolean {
    const { quirks } = this.surroundings;
    if (outcome === 'nack') return quirks['nack-subscription'] === 'ignore';
    if (outcome === 'stale') return this.rules.repeatsSubscription || quirks['stale-subscription'] === 'ignore';
    return false;
  }

  private answered(watch: Watch, request: ClientRequest, outcome: Outcome, change: SubscriptionChange | undefined): Watch {
    const next = { ...watch, subscription: change?.subscription ?? watch.subscription };
    const { lastSent, held } = watch;
    if (outcome === 'ack' && lastSent) {
      const { rejected: _, ...rest } = next;
      return { ...rest, lastAcked: lastSent, ...(held ? { ackedHeld: held } : {}) };
    }
    if (outcome === 'nack' && lastSent && request.errorDetail) {
      const { code, message } = request.errorDetail;
      return { ...next, rejected: { ...lastSent, state: held?.state, code, text: message } };
    }
    return outcome === 'initial' ? { ...next, initialVersions: this.rules.describe(request).initialVersions } : next;
  }

  private owedFor(watch: Watch, outcome: Outcome, change: SubscriptionChange): Owed | undefined {
    if (outcome === 'initial') {
      const empty = !isWildcard(change.subscription) && change.subscription.names.size === 0;
      return empty && !this.rules.answersEmptyFirst ? undefined : 'all';
    }
    if (change.becameWildcard) return 'all';
    return change.added.size === 0 ? undefined : this.rules.dueForNames(watch.typeUrl, change.added);
  }

  /** Sends what is owed, or keeps it if a rule withholds it; EDS follows every CDS. */
  private answer(typeUrl: string, owed: Owed, cause: Cause): void {
    const watch = this.watches.get(typeUrl) as Watch;
    const due = addOwed(watch.owed, owed) as Owed;
    const withheld = withheldOf(this.state.rules, typeUrl, this.state.node);
    if (withheld.extent === 'everything') return this.withhold(watch, due, []);
    const state = typeState(this.state.snapshot, typeUrl);
    const selection = this.rules.select(watch, state, due, withheld);
    const back = this.heldBack(watch, state, due, withheld);
    if (back.length > 0) this.withhold(watch, new Set(back), back);
    const silent = selection.resources.length + selection.removed.length === 0 && !resourceType(typeUrl).fullState;
    if (silent && back.length > 0) return;
    if (silent && due !== 'all' && cause !== 'reply') return this.settle(typeUrl);
    this.send(this.watches.get(typeUrl) as Watch, state, selection, back, cause);
    if (typeUrl === TypeUrl.cluster) this.followWithEndpoints();
  }

  /** A cluster that changed warms only on a new EDS response, even an unchanged one (istio delta.go: forced EDS push). */
  private followWithEndpoints(): void {
    const watch = this.watches.get(TypeUrl.endpoint);
    if (watch?.held && (isWildcard(watch.subscription) || watch.subscription.names.size > 0)) this.answer(TypeUrl.endpoint, 'all', 'warming');
  }

  private heldBack(watch: Watch, state: TypeState, due: Owed, withheld: Withheld): string[] {
    if (withheld.extent === 'nothing') return [];
    const names = due === 'all' && !isWildcard(watch.subscription) ? watch.subscription.names : due === 'all' ? state.resources.keys() : due;
    return [...names].filter((name) => withheld.holds(name) && state.resources.has(name));
  }

  /** What was owed is gone from the snapshot meanwhile. */
  private settle(typeUrl: string): void {
    const { owed: _, ...rest } = this.watches.get(typeUrl) as Watch;
    this.watches.set(typeUrl, rest);
  }

  private isFreed(typeUrl: string, owed: Owed): boolean {
    const withheld = withheldOf(this.state.rules, typeUrl, this.state.node);
    if (owed === 'all' || withheld.extent !== 'some') return withheld.extent !== 'everything';
    return [...owed].some((name) => !withheld.holds(name));
  }

  private withhold(watch: Watch, owed: Owed, names: readonly string[]): void {
    const before = watch.owed;
    this.watches.set(watch.typeUrl, { ...watch, owed });
    const grew = before === undefined || (before !== 'all' && (owed === 'all' || [...owed].some((name) => !before.has(name))));
    if (grew) this.emit({ event: 'response.withheld', ...this.facts(watch.typeUrl), names });
  }

  private send(watch: Watch, state: TypeState, selection: Selection, back: readonly string[], cause: Cause): void {
    const { version, sequence } = this.state.snapshot;
    const nonce = this.surroundings.nonce(version, watch.typeUrl, cause);
    const sent: SentResponse = { nonce, version, sequence };
    const { owed, ...rest } = watch;
    const kept = back.length > 0 && owed !== undefined ? { owed } : {};
    this.watches.set(watch.typeUrl, { ...rest, ...kept, held: { state, without: new Set(back) }, lastSent: sent, initialVersions: new Map() });
    const { resources, removed } = selection;
    this.effects.push({ kind: 'respond', response: { variant: this.state.variant, typeUrl: watch.typeUrl, version, nonce, resources, removed, cause, sequence } });
  }

  private reportRequest(request: ClientRequest, outcome: Outcome): void {
    const facts = this.facts(request.typeUrl);
    const { initialVersions, ...said } = this.rules.describe(request);
    this.emit({ event: 'request.received', ...facts, outcome, ...said, held: [...initialVersions.keys()], nonce: request.nonce });
    const sent = this.watches.get(request.typeUrl)?.lastSent;
    if (!sent) return;
    const { version, nonce } = sent;
    if (outcome === 'ack') this.emit({ event: 'response.acked', ...facts, version, nonce });
    if (outcome === 'nack' && request.errorDetail) {
      this.emit({ event: 'response.nacked', ...facts, version, nonce, code: request.errorDetail.code, text: request.errorDetail.message });
    }
  }

  private facts(typeUrl: string): StreamFacts & { typeUrl: string; type: string } {
    return { ...streamFacts(this.state), typeUrl, type: resourceType(typeUrl).short };
  }

  private emit(event: ProtocolEvent): void {
    this.effects.push({ kind: 'emit', event });
  }
}
