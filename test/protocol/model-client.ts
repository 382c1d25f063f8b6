import type { ProtocolEvent } from '../../src/protocol/protocol-event.ts';
import { istiodQuirks, type Quirks } from '../../src/protocol/quirks.ts';
import type { ClientRequest, ErrorDetail, Variant } from '../../src/protocol/request.ts';
import { resourceType } from '../../src/protocol/resource-type.ts';
import type { Response, Status } from '../../src/protocol/response.ts';
import type { Snapshot } from '../../src/protocol/snapshot.ts';
import type { Input } from '../../src/protocol/stream-input.ts';
import { newStream, transition, type StreamState } from '../../src/protocol/stream-state.ts';
import type { WithholdRule } from '../../src/protocol/withhold-rule.ts';
import { contentOf, node, url, type Short, type World } from './world.ts';

export const bothVariants: readonly Variant[] = ['sotw', 'delta'];

/** What a client knows of one type. */
interface Subscribed {
  names: Set<string>;
  /** Of the last response taken note of. */
  nonce: string;
  version: string;
  held: Map<string, string>;
}

interface ClientOptions {
  readonly quirks?: Partial<Quirks>;
  readonly rules?: readonly WithholdRule[];
  readonly node?: typeof node;
}

/** What an answer or a request to a client's next request adds. */
interface RequestOptions {
  readonly nonce?: string;
  readonly error?: ErrorDetail;
  readonly held?: Readonly<Record<string, string>>;
  readonly anonymous?: boolean;
}

/**
 * A client that knows the protocol from its own reading of it and nothing of our machine but `transition`. It speaks either variant behind the
 * same verbs, and each verb returns what the server sent because of it.
 */
export class ModelClient {
  readonly variant: Variant;
  readonly world: World;
  state: StreamState;
  readonly responses: Response[] = [];
  readonly events: ProtocolEvent[] = [];
  /** Types of questions that somebody else has to answer. */
  readonly asked: string[] = [];
  closed: Status | undefined;
  private readonly quirks: Quirks;
  private readonly own: typeof node;
  private readonly types = new Map<string, Subscribed>();
  private nonces = 0;

  constructor(variant: Variant, world: World, options: ClientOptions = {}) {
    this.variant = variant;
    this.world = world;
    this.quirks = { ...istiodQuirks, ...options.quirks };
    this.own = options.node ?? node;
    this.state = newStream(1, variant, options.rules);
  }

  /** Asks for names (none: for everything) beside those asked for already. */
  ask(type: Short, names: readonly string[] = [], options: RequestOptions = {}): Response[] {
    const known = this.known(type);
    for (const name of names) known.names.add(name);
    return this.request(type, names, [], options);
  }

  giveUp(type: Short, names: readonly string[], options: RequestOptions = {}): Response[] {
    const known = this.known(type);
    for (const name of names) {
      known.names.delete(name);
      known.held.delete(name);
    }
    return this.request(type, [], names, options);
  }

  /** Accepts a response: what it says is now held. */
  ack(response: Response, names: readonly string[] = []): Response[] {
    const type = resourceType(response.typeUrl).short as Short;
    const known = this.known(type);
    this.apply(known, response);
    known.version = response.version;
    return this.ask(type, names, { nonce: response.nonce });
  }

  nack(response: Response, message = 'no good', names: readonly string[] = []): Response[] {
    const type = resourceType(response.typeUrl).short as Short;
    return this.ask(type, names, { nonce: response.nonce, error: { code: 13, message } });
  }

  /** Accepts a list of responses, and whatever comes of that, until the server is silent. */
  ackAll(responses: readonly Response[]): Response[] {
    const queue = [...responses];
    const seen: Response[] = [];
    for (let next = queue.shift(); next; next = queue.shift()) {
      seen.push(next);
      queue.push(...this.ack(next));
    }
    return seen;
  }

  publish(snapshot: Snapshot = this.world.snapshot): Response[] {
    return this.take({ kind: 'publish', snapshot });
  }

  setRules(rules: readonly WithholdRule[]): Response[] {
    return this.take({ kind: 'rules', rules });
  }

  /** What it holds of a type, as `a=1`, sorted. */
  holds(type: Short): string[] {
    return [...this.known(type).held].map(([name, text]) => `${name}=${text}`).sort();
  }

  subscribedNames(type: Short): ReadonlySet<string> {
    return this.known(type).names;
  }

  eventsOf<E extends ProtocolEvent['event']>(event: E): Extract<ProtocolEvent, { event: E }>[] {
    return this.events.filter((other): other is Extract<ProtocolEvent, { event: E }> => other.event === event);
  }

  private known(type: Short): Subscribed {
    const known = this.types.get(url(type)) ?? { names: new Set(), nonce: '', version: '', held: new Map() };
    this.types.set(url(type), known);
    return known;
  }

  private request(type: Short, subscribe: readonly string[], unsubscribe: readonly string[], options: RequestOptions): Response[] {
    const known = this.known(type);
    if (options.nonce) known.nonce = options.nonce;
    const base = {
      typeUrl: url(type),
      ...(this.state.node || options.anonymous ? {} : { node: this.own }),
      ...(options.error ? { errorDetail: options.error } : {}),
    };
    const request: ClientRequest =
      this.variant === 'sotw'
        ? { ...base, variant: 'sotw', nonce: options.nonce ?? known.nonce, version: known.version, names: [...known.names] }
        : {
            ...base,
            variant: 'delta',
            nonce: options.nonce ?? '',
            subscribe,
            unsubscribe,
            initialVersions: new Map(Object.entries(options.held ?? {})),
          };
    return this.take({ kind: 'request', request, snapshot: this.world.snapshot });
  }

  /** Performs one transition and takes note of what came of it. */
  take(input: Input): Response[] {
    const nonce = (version: string): string => `${version}#${++this.nonces}`;
    const { state, effects } = transition(this.state, input, { quirks: this.quirks, nonce });
    this.state = state;
    const sent: Response[] = [];
    for (const effect of effects) {
      if (effect.kind === 'emit') this.events.push(effect.event);
      else if (effect.kind === 'respond') sent.push(effect.response);
      else if (effect.kind === 'inform') this.asked.push(effect.request.typeUrl);
      else this.closed = effect.status;
    }
    this.responses.push(...sent);
    return sent;
  }

  private apply(known: Subscribed, response: Response): void {
    const wildcard = known.names.size === 0 || known.names.has('*');
    if (this.variant === 'sotw' && resourceType(response.typeUrl).fullState) known.held.clear();
    for (const text of contentOf(response)) {
      const [name = '', value = ''] = text.split('=');
      if (text.startsWith('-')) known.held.delete(text.slice(1));
      else if (value === 'empty') known.held.delete(name);
      else if (wildcard || known.names.has(name)) known.held.set(name, value);
    }
  }
}

/** `CDS a=1 b=2`, a line per response. */
export function told(responses: readonly Response[]): string[] {
  return responses.map((response) => [resourceType(response.typeUrl).short, ...contentOf(response)].join(' '));
}
