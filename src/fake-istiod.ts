import type { Workload } from './auth/identity.ts';
import type { TokenWish } from './auth/token.ts';
import type { CertificateWithKey, IssueOptions } from './ca/authority.ts';
import type { Control } from './control/control-server.ts';
import type { Bootstrap, BootstrapOptions } from './envoy/bootstrap.ts';
import type { DebugAddresses } from './debug/debug-server.ts';
import type { EnvoyEvent } from './envoy/envoy-event.ts';
import type { TimelineEvent } from './events.ts';
import type { ExpectationEvent } from './observe/expectation-event.ts';
import type { Journal } from './observe/frame.ts';
import type { Timeline } from './observe/timeline.ts';
import type { WaitFor } from './observe/wait.ts';
import type { WithholdOptions } from './options.ts';
import type { ResourceSet, ResourceUpdate } from './protobuf/resource-set.ts';
import type { Command } from './script/command.ts';
import type { UnfiredStep } from './script/never-fired.ts';
import type { Scenario } from './script/scenario.ts';
import type { Push } from './session/push.ts';
import type { NodeMatcher } from './protocol/node.ts';
import type { Status } from './protocol/response.ts';
import type { StreamMatcher } from './protocol/stream-matcher.ts';
import type { NodeState, ServedSnapshot } from './session/node-state.ts';
import type { Rule, RuleCommand } from './session/rule.ts';
import type { Session } from './session/session.ts';
import type { StepState } from './session/step-state.ts';

/** Whose layer a publish changes: a node id in which `*` stands for any characters, or more than that. Left out: the base, for every node. */
export interface PublishOptions {
  readonly node?: string | NodeMatcher;
}

/** What a bootstrap is to be, beyond the wishes of the scenario. */
export interface ScenarioBootstrapOptions extends BootstrapOptions {
  /** Of a scenario with several Envoys the one whose wishes count. Default: the first. */
  readonly envoy?: string;
}

/** What can be asked of a fake istiod, and moved in it, while it runs. The HTTP API and `ctl` can do the same. */
export interface LiveIstiod {
  /** Every node that is connected, oldest first, then those that left. */
  readonly nodes: readonly NodeState[];
  /** One of `nodes`. Throws `node.not-found`. */
  node(id: string): NodeState;
  /** What a node is served; without an id, what is served to nodes that have nothing of their own. A node need not be connected. */
  snapshot(nodeId?: string): ServedSnapshot;
  /** All that is in force: withholds, faults, refusals, gates and the like, in the order they came. */
  readonly rules: readonly Rule[];
  /** Puts another command of the same kind in a rule's place, which keeps its id. Throws `rule.not-found`, `options.invalid`. */
  changeRule(id: string, command: RuleCommand): Rule;
  /** Takes back what a rule does; what it withheld is computed anew and sent. Throws `rule.not-found`. */
  removeRule(id: string): void;
  /** Everything (what is served, rules, steps) is as it was when the scenario, or this server, began. Streams, journal, timeline stay. */
  reset(): void;
  /** Ends matching streams (left out: all) with a status and tells how many. Default status: 14, `closed by request`. */
  close(streams?: StreamMatcher, status?: Status): number;
  /**
   * Another scenario in place of the one that plays: what it serves, its rules, its steps, beginning now; streams stay open. Ports,
   * authority and trust domain stay as they are.
   *
   * @throws FakeIstiodError `scenario.*`, `input.*`; then nothing has changed.
   */
  play(scenario: string | Scenario): Promise<void>;
  /** Steps that have not fired never will. What is served and in force stays as it is. */
  stopScenario(): void;
  /** The steps of the scenario in play, in the order of the file. */
  readonly steps: readonly StepState[];
  readonly journal: Journal;
  /** An earlier push by its version, or the newest: one of the last 1000. Throws `push.not-found`. */
  push(version?: string): Push;
}

/** A running fake istiod. */
export interface FakeIstiod extends AsyncDisposable, LiveIstiod {
  /** The host that clients on this machine connect to. */
  readonly host: string;
  /** TLS and plaintext, told apart by the first byte. Known, and good for a bootstrap, while a scenario lets nothing listen at first, too. */
  readonly port: number;
  /** Plaintext alone; undefined if it was not asked for. */
  readonly plaintextPort: number | undefined;
  /** Where its control API is, and the token that callers have to bring; undefined if none was asked for. */
  readonly control: Control | undefined;
  /** Where istiod's own HTTP is; undefined if it was not asked for. */
  readonly debug: DebugAddresses | undefined;
  /** The one in play, also after `stopScenario`. */
  readonly scenario: Scenario | undefined;
  /** All that happened, oldest first. */
  readonly timeline: Timeline;
  /** Our side of each stream that is open now: what is known of it, and `end`, which closes it with a gRPC status. */
  readonly sessions: readonly Pick<Session, 'state' | 'end'>[];
  /** An Envoy bootstrap that points at this server, with the scenario's wishes: the certificates and tokens in it are this server's. Throws `options.invalid`. */
  bootstrap(options?: ScenarioBootstrapOptions): Bootstrap;
  /** The root certificate (PEM) that this server's TLS certificate ends in; made at the first call or TLS byte. */
  rootCertificate(): Promise<string>;
  /** Roots that the server certificate ended in before `rotate-root`, oldest first, as PEM. */
  formerRootCertificates(): Promise<readonly string[]>;
  /** A service account token signed by this server's own key, which callers are believed by, if the wish is one that it believes. */
  token(wish: TokenWish): Promise<string>;
  /** A client certificate of this server's own authority, with its key. Default trust domain: that of the authority. */
  clientCertificate(workload: Workload, options?: IssueOptions): Promise<CertificateWithKey>;
  /** Calls `listener` with every event from now on; the returned function ends it. */
  on(listener: (event: TimelineEvent) => void): () => void;
  /**
   * Resolves with the first event that matches, also one that has happened already; named under `type` or `event`, it is typed as that
   * event. Rejects with `wait.timed-out` and the nearest miss, or with `istiod.stopped`.
   */
  readonly waitFor: WaitFor;
  /**
   * Replaces the types given for every node (but for nodes whose scenario serves them types of their own), tells every client, and
   * returns what becomes of it. With `node`: for these nodes alone, whom only a later publish for them changes. Throws `resource.invalid`.
   */
  publish(resources: ResourceSet, options?: PublishOptions): Push;
  /**
   * Sets and removes single resources, all others staying, for whom `publish` does; tells every client, and returns what becomes of it.
   * Throws `resource.invalid`, and `options.invalid` for a word that is no type.
   */
  update(update: ResourceUpdate, options?: PublishOptions): Push;
  /** Owed responses of a type (`CDS`, a type URL …) are not sent until `release`. Returns the rule that says so. */
  withhold(type: string, options?: WithholdOptions): readonly Rule[];
  /** Lifts what `withhold` or the scenario withholds; what is owed is computed anew and sent. */
  release(type: string, options?: WithholdOptions): void;
  /** Carries out any command of a scenario, and returns the rules that it put in force. After `stop` nothing listens again. */
  perform(command: Command): readonly Rule[];
  /**
   * Serves from now on what a scenario, or its file read anew, serves; steps, rules and streams stay as they are. A function is asked
   * for it.
   *
   * @throws FakeIstiodError `scenario.*`, `input.*`; then nothing has changed, and `reload.failed` stands in the timeline.
   */
  serveAnew(scenario: string | Scenario | (() => Promise<Scenario>)): Promise<Push>;
  /** Marks a moment that steps and waits can refer to. */
  mark(moment: string): void;
  /** Puts an event of the proxy or of an expectation into the one timeline, where the script sees it too. */
  report(event: EnvoyEvent | ExpectationEvent): void;
  /** Steps that have not fired, optional ones included. */
  readonly waitingSteps: readonly string[];
  /** Steps that should have fired and have not, and what they wait for. */
  readonly neverFired: readonly UnfiredStep[];
  /** Ends every stream with a status, then listening. Idempotent. */
  stop(): Promise<void>;
}
