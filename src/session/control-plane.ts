import type { Clock } from '../clock.ts';
import type { Node, NodeMatcher } from '../protocol/node.ts';
import type { ProtocolEvent, Whose } from '../protocol/protocol-event.ts';
import type { Quirks } from '../protocol/quirks.ts';
import { resourceType } from '../protocol/resource-type.ts';
import type { Status } from '../protocol/response.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import type { StreamMatcher } from '../protocol/stream-matcher.ts';
import type { Command, Layer } from '../script/command.ts';
import { fieldOf, type ScriptInput } from '../script/event-pattern.ts';
import { commandSentence } from '../script/explain.ts';
import type { UnfiredStep } from '../script/never-fired.ts';
import type { ProxyCommand } from '../script/proxy-identity.ts';
import type { Scenario } from '../script/scenario.ts';
import type { ScriptEvent } from '../script/script-event.ts';
import { openingRules, type Beginning } from './beginning.ts';
import { Director } from './director.ts';
import type { Doorman } from './doorman.ts';
import type { IdentityPort } from './identity-port.ts';
import type { MessageKeeper } from './message-store.ts';
import type { ServedSnapshot } from './node-state.ts';
import { Publishes } from './publishes.ts';
import type { Rule, RuleCommand } from './rule.ts';
import { Rulebook } from './rulebook.ts';
import type { ContentMaker } from './served-layer.ts';
import { servedSnapshot } from './served-snapshot.ts';
import type { SessionEvent } from './session-event.ts';
import { ServerWork, type ServerMove } from './server-work.ts';
import { Sessions } from './sessions.ts';
import type { StepState } from './step-state.ts';
import { Store, type Published } from './store.ts';

/** What the control plane needs of its server; `wire/` provides it. */
export interface ServerPort {
  /** Settles the port numbers without listening. */
  reserve(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  silence(): void;
  unsilence(): void;
}

export interface ControlPlaneOptions {
  readonly clock: Clock;
  readonly beginning: Beginning;
  /** Who asks new clients for their identity. */
  readonly doorman: Doorman;
  /** What commands about identity move. */
  readonly identity: IdentityPort;
  /** Keeps what came in and went out. Default: nobody does. */
  readonly messages?: MessageKeeper;
  /** Who makes what depends on the node; undefined until it is loaded. Default: nobody. */
  contentMaker?(): ContentMaker | undefined;
  /** Who plays the proxy's own side: its token file, its agent's calls to the CA. Default: nobody. */
  playProxy?(command: ProxyCommand): void;
  /** Tells what happened, and gives the event's number in the timeline. */
  emit(event: ProtocolEvent | SessionEvent | ScriptEvent, whose?: Whose): number;
  /** Milliseconds since the timeline began. */
  nowMs(): number;
  /** Told when the server could not be started or stopped by a command. */
  onServerError(error: unknown): void;
}

/** Everything behind the port: what is served, who is connected, and the script that moves both. */
export class ControlPlane {
  readonly sessions: Sessions;
  private readonly store: Store;
  private readonly rulebook: Rulebook;
  private director: Director;
  private beginning: Beginning;
  private readonly options: ControlPlaneOptions;
  private readonly publishes = new Publishes();
  private server: ServerPort | undefined;
  private readonly serverWork = new ServerWork((kind, error) => {
    if (kind === 'start-server') this.rulebook.noteServerDown();
    this.options.onServerError(error);
  });
  private over = false;

  constructor(options: ControlPlaneOptions) {
    const { clock, beginning, doorman, messages, identity, emit, nowMs } = options;
    const { layers, quirks } = beginning;
    this.options = options;
    this.beginning = beginning;
    this.store = new Store(layers, clock, quirks['resource-version'], {
      maker: () => options.contentMaker?.(),
      onFailure: (node, error) =>
        void emit({ event: 'content.failed', node: node.id, reason: error instanceof Error ? error.message : String(error) }),
    });
    this.publishes.remember(this.store.first);
    this.sessions = new Sessions({ store: this.store, clock, quirks, rules: [], ready: true, doorman, messages, emit, nowMs });
    this.rulebook = new Rulebook({ sessions: this.sessions, identity, moveServer: (kind) => this.moveServer(kind) });
    // Who gets in is settled when there is a server: `start`.
    this.rulebook.begin(openingRules({ ...beginning, identity: [] }), () => undefined);
    this.director = this.newDirector();
  }

  get scenario(): Scenario | undefined {
    return this.beginning.scenario;
  }

  get quirks(): Quirks {
    return this.beginning.quirks;
  }

  get mesh(): Store['mesh'] {
    return this.store.mesh;
  }

  get rules(): readonly Rule[] {
    return this.rulebook.rules;
  }

  get steps(): readonly StepState[] {
    return this.director.steps;
  }

  get waitingSteps(): readonly string[] {
    return this.director.waiting;
  }

  get neverFired(): readonly UnfiredStep[] {
    return this.director.neverFired;
  }

  /** Starts the server in the state the scenario wants, and the script with it. */
  async start(server: ServerPort): Promise<void> {
    for (const command of this.beginning.identity) this.rulebook.perform(command);
    this.server = server;
    const state = this.scenario?.istiod.state ?? 'up';
    if (state === 'silent') server.silence();
    await (state === 'down' ? server.reserve() : server.start());
    this.tellIgnored();
    this.director.start();
  }

  /** Whether events are of any use to the script: it has steps. */
  get isScripted(): boolean {
    return this.director.isScripted;
  }

  see(event: ScriptInput): void {
    this.director.see(event);
  }

  /** What a node is served; without an id, what those are served who have nothing of their own. */
  snapshot(nodeId: string | undefined): ServedSnapshot {
    const node = nodeId === undefined ? undefined : (this.sessions.nodeNamed(nodeId) ?? { id: nodeId, cluster: '', metadata: {} });
    return servedSnapshot(this.store.snapshotFor(node), nodeId);
  }

  /** A publish by its version, or the newest; undefined if it is not known, or no longer. */
  published(version: string | undefined): Published | undefined {
    return this.publishes.named(version);
  }

  /** Changes what is served, in a layer (0: the base, for every node), and tells every client. Throws `options.invalid`. */
  publish(change: SnapshotChange, layer?: number): Published {
    return this.tell(this.store.publish(change, layer));
  }

  /** Changes what is served to some nodes alone, in a layer of their own, which is made if there is none. */
  publishTo(node: NodeMatcher, change: SnapshotChange): Published {
    const known = node.id === undefined ? undefined : this.sessions.nodeNamed(node.id);
    return this.tell(this.store.publishTo(node, change, known));
  }

  /** Carries out a command, and gives the rules that it put in force. Throws `options.invalid` for a rule about one stream. */
  perform(command: Command): readonly Rule[] {
    if (command.kind === 'mark') {
      this.options.emit({ event: 'moment.marked', moment: command.moment });
      return [];
    }
    this.rulebook.checkStreams(command);
    this.say(commandSentence(command));
    return this.carryOut(command);
  }

  /** Puts another command in a rule's place. Throws `rule.not-found`, `options.invalid`. */
  changeRule(id: string, command: RuleCommand): Rule {
    this.rulebook.checkChange(id, command);
    this.say(`change rule ${id}: ${commandSentence(command)}`);
    return this.rulebook.change(id, command);
  }

  /** Lifts a rule. Throws `rule.not-found`. */
  removeRule(id: string): void {
    this.say(`remove rule ${id}: ${this.rulebook.rule(id).sentence}`);
    this.rulebook.remove(id);
  }

  /** Ends matching streams and tells how many. */
  close(status: Status, streams?: StreamMatcher): number {
    this.say(commandSentence({ kind: 'close', status, ...(streams ? { streams } : {}) }));
    return this.sessions.close(status, streams);
  }

  /** Begins another scenario, or the same one anew: what is served, in force and to be done is as at its beginning. Streams stay. */
  begin(beginning: Beginning, sentence: string): void {
    this.director.stop();
    this.say(sentence);
    this.beginning = beginning;
    this.sessions.quirks = beginning.quirks;
    this.sessions.heartbeats = true;
    const published = this.store.begin(beginning.layers, beginning.quirks['resource-version']);
    this.rulebook.begin(openingRules(beginning), () => void this.tell(published));
    this.director = this.newDirector();
    if (this.over) return;
    this.tellIgnored();
    this.director.start();
    this.options.emit({ event: 'moment.marked', moment: 'start' });
  }

  /** Serves other layers in place of all; rules and steps stay as they are. */
  serveAnew(layers: readonly Layer[], sentence: string): Published {
    this.say(sentence);
    this.beginning = { ...this.beginning, layers };
    return this.tell(this.store.begin(layers, this.quirks['resource-version']));
  }

  /** As `begin`, for the scenario in play. */
  reset(): void {
    const { scenario } = this;
    this.begin(this.beginning, scenario ? `begin ${scenario.name} anew` : 'begin anew');
  }

  /** Ends the steps; all else stays as it is. */
  stopScenario(): void {
    if (this.scenario) this.say(`stop ${this.scenario.name}`);
    this.director.stop();
  }

  /** Ends the script, then the server, which no command starts again. */
  async stop(): Promise<void> {
    this.over = true;
    this.director.stop();
    await this.serverWork.done;
    await this.server?.stop();
  }

  private newDirector(): Director {
    const { clock, emit, nowMs } = this.options;
    const nodeOf = (event: ScriptInput): Node | undefined => this.sessions.nodeOf(fieldOf(event, 'stream'));
    return new Director({
      steps: this.scenario?.steps ?? [],
      clock,
      emit,
      nowMs,
      nodeOf,
      perform: (command) => void this.perform(command),
    });
  }

  private say(sentence: string): void {
    this.options.emit({ event: 'command.performed', sentence });
  }

  private tell(published: Published): Published {
    const { version, sequence, changed, names, removed } = published;
    this.publishes.remember(published);
    const types = changed.map((typeUrl) => resourceType(typeUrl).short);
    this.options.emit({ event: 'snapshot.published', version, sequence, types, names, removed });
    this.sessions.publish();
    return published;
  }

  private tellIgnored(): void {
    for (const { name, id, text } of this.mesh?.ignored ?? [])
      this.options.emit({ event: 'registry.ignored', cluster: name, clusterId: id, text });
  }

  private carryOut(command: Exclude<Command, { kind: 'mark' }>): readonly Rule[] {
    switch (command.kind) {
      case 'publish':
        this.publish(command.change, command.layer);
        return [];
      case 'services':
        this.tell(this.store.changeServices(command));
        return [];
      case 'heartbeats':
        this.sessions.heartbeats = command.state === 'on';
        return [];
      case 'close':
        this.sessions.close(command.status, command.streams);
        return [];
      case 'write-token':
      case 'request-certificate':
        this.options.playProxy?.(command);
        return [];
      default:
        return this.rulebook.perform(command);
    }
  }

  private moveServer(kind: ServerMove): void {
    if (this.server && !this.over) this.serverWork.move(this.server, kind);
  }
}
