import { withRoom } from './protocol-event.ts';
import type { Effect } from './stream-effect.ts';
import type { Input } from './stream-input.ts';
import type { Quirks } from './quirks.ts';
import type { ClientRequest } from './request.ts';
import { sameNames } from './resource.ts';
import type { Snapshot } from './snapshot.ts';
import { transition, type StreamState, type Surroundings, type Transition } from './stream-state.ts';

type Watches = StreamState['watches'];
type Request = Extract<Input, { kind: 'request' }>;
type Publish = Extract<Input, { kind: 'publish' }>;

/** A step that some stream made: from where, on what, and what came of it. */
interface Made<I extends Request | Publish> {
  readonly input: I;
  readonly quirks: Quirks;
  readonly snapshot: Snapshot;
  readonly watches: Watches;
  readonly effects: readonly Effect[];
}

const nothing: readonly Effect[] = [];

/** From so many states steps are remembered, the newest, and so many from each. */
const keptStates = 64;
const keptSteps = 16;
/** All are forgotten after so many bytes of requests; what is longer than this is not remembered at all. */
const keptBytes = 8 * 1024 * 1024;
const longestBytes = 2 * 1024 * 1024;

/**
 * Transitions of many streams. Proxies of one mesh mostly do alike: they ask for the same, are sent the same and accept it. A step that a stream
 * in the very same state made before is not worked out again. Those streams then share what is known of their types, too, so that they go on alike.
 *
 * @note Events among the effects may bear the number and the node of that other stream: who tells them says whose they are.
 */
export class SharedSteps {
  /**
   * By what was known of the types before, to which no stream comes in two ways: what it was last served is the same then, too.
   * Not a WeakMap: each step leads to the next one, and all would be reached from the first.
   */
  private readonly requests = new Map<Watches, Made<Request>[]>();
  private readonly publishes = new Map<Watches, Made<Publish>[]>();
  /** Of requests that were remembered since all was forgotten. */
  private bytes = 0;

  /** As `transition`, but for whose events they are. */
  transition(state: StreamState, input: Input, surroundings: Surroundings): Transition {
    // What is withheld may hang on the node.
    if (state.rules.length > 0) return transition(state, input, surroundings);
    if (input.kind === 'publish') return this.publish(state, input, surroundings);
    if (input.kind === 'request' && isOrdinary(state, input, surroundings)) return this.request(state, input, surroundings);
    return transition(state, input, surroundings);
  }

  /** Something else is served from now on: no more steps from what was. */
  forget(): void {
    this.requests.clear();
    this.publishes.clear();
    this.bytes = 0;
  }

  private publish(state: StreamState, input: Publish, surroundings: Surroundings): Transition {
    if (input.snapshot === state.snapshot) return { state, effects: nothing };
    const isKnown = (made: Made<Publish>): boolean => made.quirks === surroundings.quirks && made.input.snapshot === input.snapshot;
    const known = this.publishes.get(state.watches)?.find(isKnown);
    if (known) return repeated(known, state, state.node);
    return this.taken(this.publishes, state, input, surroundings);
  }

  private request(state: StreamState, input: Request, surroundings: Surroundings): Transition {
    const { request, snapshot } = input;
    const isKnown = (made: Made<Request>): boolean =>
      made.quirks === surroundings.quirks && made.input.snapshot === snapshot && asksTheSame(made.input.request, request);
    const known = this.requests.get(state.watches)?.find(isKnown);
    if (known) return repeated(known, state, request.node?.id ? request.node : state.node);
    const size = request.bytes?.length ?? 0;
    if (size > longestBytes) return transition(state, input, surroundings);
    if (this.bytes + size > keptBytes) this.forget();
    this.bytes += size;
    return this.taken(this.requests, state, input, surroundings);
  }

  private taken<I extends Request | Publish>(
    made: Map<Watches, Made<I>[]>,
    state: StreamState,
    input: I,
    surroundings: Surroundings,
  ): Transition {
    const done = transition(state, input, surroundings);
    if (done.effects.every(({ kind }) => kind === 'emit' || kind === 'respond')) {
      const { snapshot, watches } = done.state;
      const steps = made.get(state.watches) ?? [];
      steps.push({ input, quirks: surroundings.quirks, snapshot, watches, effects: done.effects.map(asTemplate) });
      if (steps.length > keptSteps) steps.shift();
      made.set(state.watches, steps);
      if (made.size > keptStates) made.delete(made.keys().next().value as Watches);
    }
    return done;
  }
}

/** An effect as it is repeated: an event with room for what a timeline adds, because filling in is faster than adding. */
function asTemplate(effect: Effect): Effect {
  return effect.kind === 'emit' ? { kind: 'emit', event: withRoom(effect.event) } : effect;
}

function repeated({ snapshot, watches, effects }: Made<Request | Publish>, state: StreamState, node: StreamState['node']): Transition {
  const { stream, variant, rules } = state;
  return { state: { stream, variant, ...(node && { node }), snapshot, rules, watches }, effects };
}

/** True if nothing hangs on who asks, and nobody was refused anything. */
function isOrdinary({ node }: StreamState, { request }: Request, { quirks }: Surroundings): boolean {
  if (request.errorDetail || quirks['node-id'] === 'four-parts') return false;
  if (request.variant === 'delta' && request.initialVersions.size > 0) return false;
  return (request.node?.id ?? node?.id ?? '') !== '';
}

function asksTheSame(a: ClientRequest, b: ClientRequest): boolean {
  if (a === b) return true;
  if (a.typeUrl !== b.typeUrl || a.nonce !== b.nonce) return false;
  if (a.variant === 'sotw') return b.variant === 'sotw' && a.version === b.version && sameNames(a.names, b.names);
  return b.variant === 'delta' && sameNames(a.subscribe, b.subscribe) && sameNames(a.unsubscribe, b.unsubscribe);
}
