import { isDebugType } from './debug-type.ts';
import { classify } from './outcome.ts';
import { missingNode, type Node } from './node.ts';
import type { ProtocolEvent, StreamFacts } from './protocol-event.ts';
import type { Quirks } from './quirks.ts';
import type { ClientRequest, Outcome, Variant } from './request.ts';
import { inPushOrder, resourceType, TypeUrl } from './resource-type.ts';
import type { Cause, Response } from './response.ts';
import type { Effect } from './stream-effect.ts';
import type { Input } from './stream-input.ts';
import { emptySnapshot, typeState, type Snapshot, type TypeState } from './snapshot.ts';
import { excessOf, isWildcard, type SubscriptionChange } from './subscription.ts';
import { heartbeatSelection, heldBack, isTellable, withDoubtful } from './selection.ts';
import { unknownTypeRule, unknownTypeStatus, withUnserved } from './unserved.ts';
import { variants, type VariantRules } from './variant.ts';
import {
  accepted,
  addOwed,
  continued,
  newWatch,
  refused,
  responded,
  resubscribed,
  unansweredOf,
  type Owed,
  type Selection,
  type Watch,
} from './watch.ts';
import { withheldOf, type WithholdRule } from './withhold-rule.ts';

/** All that is known of one stream. A value: each transition makes a new one. */
export interface StreamState {
  readonly stream: number;
  readonly variant: Variant;
  readonly node?: Node;
  readonly snapshot: Snapshot;
  readonly rules: readonly WithholdRule[];
  readonly watches: ReadonlyMap<string, Watch>;
}

/** What the machine needs from outside and may not make itself. */
export interface Surroundings {
  readonly quirks: Quirks;
  /** A nonce for a response of this version, the same for all streams that are sent the same; never one that the stream had. `last`: the one before. */
  nonce(version: string, typeUrl: string, last: string | undefined): string;
}

export interface Transition {
  readonly state: StreamState;
  readonly effects: readonly Effect[];
}

const noWatches: StreamState['watches'] = new Map();
export function newStream(stream: number, variant: Variant, rules: readonly WithholdRule[] = []): StreamState {
  return { stream, variant, snapshot: emptySnapshot, rules, watches: noWatches };
}

/** The one state machine, for SotW and delta alike: what a stream becomes, and what is to be done about it. */
export function transition(state: StreamState, input: Input, surroundings: Surroundings): Transition {
  const step = new Step(state, surroundings);
  if (input.kind === 'request') step.request(input.request, input.snapshot);
  else if (input.kind === 'publish') step.publish(input.snapshot);
  else if (input.kind === 'push-all') step.pushAll(input.snapshot);
  else if (input.kind === 'heartbeat') step.heartbeat(input.typeUrl);
  else step.changeRules(input.rules);
  return { state: step.result(), effects: step.effects };
}

/** The facts that every event of this stream carries. */
export function streamFacts(state: StreamState): StreamFacts {
  const { stream, variant, node } = state;
  return node ? { stream, variant, node: node.id } : { stream, variant };
}

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
    if (this.watches.size === 0) this.state = { ...this.state, snapshot };
    const { typeUrl } = request;
    const before = this.watches.get(typeUrl);
    const outcome = classify(before, request, this.rules);
    this.reportRequest(request, outcome);
    if (isDebugType(typeUrl)) return void this.effects.push({ kind: 'inform', request });
    const unknown = unknownTypeRule(typeUrl, this.state.snapshot, this.surroundings.quirks);
    if (unknown === 'close') return void this.effects.push({ kind: 'close', status: unknownTypeStatus });
    const change = this.ignoresSubscription(outcome) ? undefined : this.rules.changeSubscription(before?.subscription, request);
    const heard = this.heard(before ?? newWatch(typeUrl), request, outcome);
    const watch = change ? resubscribed(heard, change) : heard;
    const excess = excessOf(watch.subscription);
    if (excess) return void this.effects.push({ kind: 'close', status: excess });
    this.watches.set(typeUrl, watch);
    const owed = change ? this.owedFor(watch, outcome, change) : undefined;
    if (owed !== undefined && resourceType(typeUrl).answered && unknown !== 'ignore') this.answer(typeUrl, owed, 'reply');
    // A push that this request crossed comes after it, or it would make the request stale.
    this.publish(snapshot);
  }

  /** Moves on to `snapshot` and sends what is due for it. */
  publish(snapshot: Snapshot): void {
    if (snapshot === this.state.snapshot) return;
    this.state = { ...this.state, snapshot };
    for (const typeUrl of inPushOrder(this.watches.keys())) if (resourceType(typeUrl).answered) this.push(typeUrl);
  }

  /** Moves on to `snapshot` and sends anew what was ever sent, changed or not. EDS that has followed CDS is not sent twice. */
  pushAll(snapshot: Snapshot): void {
    this.state = { ...this.state, snapshot };
    const before = new Map(this.watches);
    for (const typeUrl of inPushOrder(before.keys())) {
      const watch = this.watches.get(typeUrl);
      if (watch?.held && watch === before.get(typeUrl)) this.answer(typeUrl, 'all', 'push');
    }
  }

  changeRules(rules: readonly WithholdRule[]): void {
    this.state = { ...this.state, rules };
    for (const typeUrl of inPushOrder(this.watches.keys())) {
      const { debt } = this.watches.get(typeUrl) as Watch;
      if (debt) this.answer(typeUrl, debt.names, 'release');
    }
  }

  heartbeat(typeUrl: string): void {
    const watch = this.watches.get(typeUrl);
    const selection = watch && heartbeatSelection(watch, this.state.variant, withheldOf(this.state.rules, typeUrl, this.state.node));
    if (!watch?.lastSent || !selection) return;
    const { version, sequence } = watch.lastSent;
    const nonce = this.surroundings.nonce(version, typeUrl, watch.lastSent.nonce);
    this.watches.set(typeUrl, continued(watch, { nonce, version, sequence, selection }));
    this.respond({ typeUrl, version, nonce, selection, cause: 'heartbeat', sequence });
  }

  private push(typeUrl: string): void {
    const watch = this.watches.get(typeUrl) as Watch;
    const state = typeState(this.state.snapshot, typeUrl);
    const first = watch.held ? undefined : watch.debt?.names;
    const due = first ?? this.rules.due(watch, state);
    if (due !== undefined) this.answer(typeUrl, due, 'push');
    // Nothing that it wants changed: it holds the new state as it held the old one.
    else if (watch.held) this.watches.set(typeUrl, { ...watch, held: { ...watch.held, state } });
  }

  /** False if the stream ends because the first request does not say who asks. */
  private learnNode(request: ClientRequest): boolean {
    if (request.node?.id) this.state = { ...this.state, node: request.node };
    if (!this.state.node) {
      this.effects.push({ kind: 'close', status: missingNode });
      return false;
    }
    if (this.surroundings.quirks['node-id'] === 'four-parts' && this.state.node.id.split('~').length !== 4) {
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

  /** `watch` after what the request says of our responses. */
  private heard(watch: Watch, request: ClientRequest, outcome: Outcome): Watch {
    if (outcome === 'initial') return { ...watch, initialVersions: this.rules.describe(request).initialVersions };
    const response = unansweredOf(watch, request.nonce);
    if (!response) return watch;
    return request.errorDetail ? refused(watch, response, request.errorDetail) : accepted(watch, response);
  }

  private owedFor(watch: Watch, outcome: Outcome, change: SubscriptionChange): Owed | undefined {
    if (outcome === 'initial') return this.wantsNothing(watch) ? undefined : 'all';
    if (change.becameWildcard) return 'all';
    return change.added.size === 0 ? undefined : change.added;
  }

  private wantsNothing({ subscription, typeUrl }: Watch): boolean {
    if (unknownTypeRule(typeUrl, this.state.snapshot, this.surroundings.quirks) === 'empty') return false;
    return !isWildcard(subscription) && subscription.names.size === 0 && !this.rules.answersEmptyFirst;
  }

  /** Sends what is owed, or keeps it if a rule withholds it; EDS follows every CDS. */
  private answer(typeUrl: string, owed: Owed, cause: Cause): void {
    const watch = this.watches.get(typeUrl) as Watch;
    const due = addOwed(watch.debt?.names, owed);
    const withheld = withheldOf(this.state.rules, typeUrl, this.state.node);
    if (withheld.extent === 'everything') return this.withhold(watch, cause === 'push' ? withDoubtful(watch, due) : due, []);
    const state = typeState(this.state.snapshot, typeUrl);
    const back = heldBack(watch, state, due, withheld);
    const free = due === 'all' || back.length === 0 ? due : new Set([...due].filter((name) => !withheld.holds(name)));
    if (this.tellsNothing(watch, state, free, back, cause)) return this.keepOwing(watch, back);
    const selected = this.rules.select(watch, state, cause === 'push' ? withDoubtful(watch, free, withheld) : free, withheld);
    const { quirks } = this.surroundings;
    const selection =
      cause === 'push'
        ? selected
        : withUnserved(selected, { watch, state, owed: free, withheld }, { ...quirks, variant: this.state.variant });
    if (this.isIdle(watch, selection, back, cause)) return this.keepOwing(watch, back);
    if (back.length > 0) this.withhold(watch, new Set(back), back);
    this.send(this.watches.get(typeUrl) as Watch, state, selection, back, cause);
    if (typeUrl === TypeUrl.cluster) this.followWithEndpoints();
  }

  /** True if of the names owed none can be told: all are held back, or served no more and never sent. A request is answered even so. */
  private tellsNothing(watch: Watch, state: TypeState, free: Owed, back: readonly string[], cause: Cause): boolean {
    if (free === 'all' || (cause === 'reply' && back.length === 0)) return false;
    for (const name of free) if (isTellable(watch, state, name)) return false;
    return true;
  }

  /** True if an empty response would say nothing: it does in answer to a request, or as the first one of its type. */
  private isIdle(watch: Watch, { resources, removed, whole }: Selection, back: readonly string[], cause: Cause): boolean {
    if (resources.length + removed.length > 0 || whole) return false;
    const { fullState, answeredEmpty } = resourceType(watch.typeUrl);
    if (!watch.held && !answeredEmpty) return true;
    if (fullState && !watch.held) return false;
    return back.length > 0 || this.wantsNothing(watch) || (cause !== 'reply' && watch.held !== undefined);
  }

  /** Nothing is sent: what is held back stays owed, and the rest, gone meanwhile, no longer is. */
  private keepOwing(watch: Watch, back: readonly string[]): void {
    if (back.length > 0) return this.withhold(watch, watch.held ? new Set(back) : 'all', back);
    const { debt: _, ...rest } = watch;
    const state = typeState(this.state.snapshot, watch.typeUrl);
    // Nothing was said, which says that there is nothing: what comes later is news.
    const silent = watch.held || resourceType(watch.typeUrl).answeredEmpty ? {} : { held: { state, instead: new Map() } };
    this.watches.set(watch.typeUrl, { ...rest, ...silent });
  }

  /** A cluster that changed warms only on a new EDS response, even an unchanged one (istio delta.go: forced EDS push). */
  private followWithEndpoints(): void {
    const watch = this.watches.get(TypeUrl.endpoint);
    if (watch?.held && (isWildcard(watch.subscription) || watch.subscription.names.size > 0))
      this.answer(TypeUrl.endpoint, 'all', 'warming');
  }

  private withhold(watch: Watch, names: Owed, told: readonly string[]): void {
    const before = watch.debt;
    const since = before?.since ?? (watch.held ? this.state.snapshot.sequence : 0);
    this.watches.set(watch.typeUrl, { ...watch, debt: { names, since } });
    const grew =
      !before ||
      (before.names !== 'all' && (names === 'all' || [...names].some((name) => !(before.names as ReadonlySet<string>).has(name))));
    if (grew) this.emit({ event: 'response.withheld', ...this.facts(watch.typeUrl), names: told });
  }

  private send(watch: Watch, state: TypeState, selection: Selection, back: readonly string[], cause: Cause): void {
    const { version, sequence } = this.state.snapshot;
    const { typeUrl } = watch;
    const nonce = this.surroundings.nonce(version, typeUrl, watch.lastSent?.nonce);
    this.watches.set(typeUrl, responded(watch, { nonce, version, sequence, selection }, state, back));
    this.respond({ typeUrl, version, nonce, selection, cause, sequence });
  }

  private respond({
    selection: { resources, removed },
    ...rest
  }: Omit<Response, 'variant' | keyof Selection> & { selection: Selection }): void {
    this.effects.push({ kind: 'respond', response: { variant: this.state.variant, ...rest, resources, removed } });
  }

  private reportRequest(request: ClientRequest, outcome: Outcome): void {
    const facts = this.facts(request.typeUrl);
    const { initialVersions, ...said } = this.rules.describe(request);
    this.emit({ event: 'request.received', ...facts, outcome, ...said, held: [...initialVersions.keys()], nonce: request.nonce });
    const answered = unansweredOf(this.watches.get(request.typeUrl), request.nonce);
    if (!answered || outcome === 'initial') return;
    const { version, nonce } = answered;
    const { errorDetail } = request;
    if (errorDetail) this.emit({ event: 'response.nacked', ...facts, version, nonce, code: errorDetail.code, text: errorDetail.message });
    else this.emit({ event: 'response.acked', ...facts, version, nonce });
  }

  private facts(typeUrl: string): StreamFacts & { typeUrl: string; type: string } {
    return { ...streamFacts(this.state), typeUrl, type: resourceType(typeUrl).short };
  }

  private emit(event: ProtocolEvent): void {
    this.effects.push({ kind: 'emit', event });
  }
}
