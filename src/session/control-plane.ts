import type { Clock } from '../clock.ts';
import { delay, drop } from '../faults/registry.ts';
import type { Node } from '../protocol/node.ts';
import type { ProtocolEvent } from '../protocol/protocol-event.ts';
import type { Quirks } from '../protocol/quirks.ts';
import { resourceType } from '../protocol/resource-type.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import { released } from '../protocol/withhold-rule.ts';
import type { Command, Layer } from '../script/command.ts';
import { fieldOf, type ScriptInput } from '../script/event-pattern.ts';
import { commandSentence } from '../script/explain.ts';
import type { UnfiredStep } from '../script/never-fired.ts';
import type { ProxyCommand } from '../script/proxy-identity.ts';
import type { Scenario } from '../script/scenario.ts';
import type { ScriptEvent } from '../script/script-event.ts';
import { Director } from './director.ts';
import type { Doorman } from './doorman.ts';
import { performIdentityCommand, type IdentityPort } from './identity-port.ts';
import type { SessionEvent } from './session-event.ts';
import { Sessions } from './sessions.ts';
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
  readonly quirks: Quirks;
  readonly scenario: Scenario | undefined;
  readonly layers: readonly Layer[];
  /** Who asks new clients for their identity. */
  readonly doorman: Doorman;
  /** What commands about identity move. */
  readonly identity: IdentityPort;
  /** Who plays the proxy's own side: its token file, its agent's calls to the CA. Default: nobody. */
  playProxy?(command: ProxyCommand): void;
  emit(event: ProtocolEvent | SessionEvent | ScriptEvent): void;
  /** Told when the server could not be started or stopped by a command. */
  onServerError(error: unknown): void;
}

/** Everything behind the port: what is served, who is connected, and the script that moves both. */
export class ControlPlane {
  readonly sessions: Sessions;
  private readonly store: Store;
  private readonly director: Director;
  private readonly options: ControlPlaneOptions;
  private server: ServerPort | undefined;
  /** Starts and stops happen one after the other. */
  private serverWork: Promise<void> = Promise.resolve();
  private over = false;

  constructor(options: ControlPlaneOptions) {
    const { clock, quirks, scenario, layers, doorman, emit } = options;
    this.options = options;
    this.store = new Store(layers, clock, quirks['resource-version']);
    this.sessions = new Sessions({
      store: this.store,
      clock,
      quirks,
      rules: scenario?.withhold ?? [],
      ready: scenario?.istiod.ready ?? true,
      doorman,
      emit,
    });
    const nodeOf = (event: ScriptInput): Node | undefined => this.sessions.nodeOf(fieldOf(event, 'stream'));
    this.director = new Director({ steps: scenario?.steps ?? [], clock, emit, nodeOf, perform: (command) => this.perform(command) });
  }

  get waitingSteps(): readonly string[] {
    return this.director.waiting;
  }

  get neverFired(): readonly UnfiredStep[] {
    return this.director.neverFired;
  }

  /** Starts the server in the state the scenario wants, and the script with it. */
  async start(server: ServerPort, state: Scenario['istiod']['state']): Promise<void> {
    this.server = server;
    if (state === 'silent') server.silence();
    await (state === 'down' ? server.reserve() : server.start());
    this.director.start();
  }

  see(event: ScriptInput): void {
    this.director.see(event);
  }

  /** Changes what is served, in a layer (0: the base, for every node), and tells every client. Throws `options.invalid`. */
  publish(change: SnapshotChange, layer?: number): Published {
    const published = this.store.publish(change, layer);
    const { version, sequence, changed, names, removed } = published;
    const types = changed.map((typeUrl) => resourceType(typeUrl).short);
    this.options.emit({ event: 'snapshot.published', version, sequence, types, names, removed });
    this.sessions.publish();
    return published;
  }

  perform(command: Command): void {
    if (command.kind === 'mark') return this.options.emit({ event: 'moment.marked', moment: command.moment });
    this.options.emit({ event: 'command.performed', sentence: commandSentence(command) });
    this.carryOut(command);
  }

  /** Ends the script, then the server, which no command starts again. */
  async stop(): Promise<void> {
    this.over = true;
    this.director.stop();
    await this.serverWork;
    await this.server?.stop();
  }

  private carryOut(command: Exclude<Command, { kind: 'mark' }>): void {
    const { sessions } = this;
    switch (command.kind) {
      case 'publish':
        return void this.publish(command.change, command.layer);
      case 'withhold':
        return sessions.changeRules([...sessions.withheld, ...command.rules]);
      case 'release':
        return sessions.changeRules(command.rules.reduce(released, sessions.withheld));
      case 'delay':
        sessions.faults = sessions.faults.filter(({ name, typeUrl }) => name !== 'delay' || typeUrl !== command.typeUrl);
        if (command.delayMs > 0) sessions.faults = [...sessions.faults, delay(command.typeUrl, command.delayMs, command.streams)];
        return;
      case 'drop':
        sessions.faults = [...sessions.faults, drop(command.typeUrl, command.count, command.streams)];
        return;
      case 'close':
        return sessions.close(command.status, command.streams);
      case 'refuse':
        return sessions.refuse(command.status, command.count, command.streams);
      case 'accept':
        return sessions.accept();
      case 'set-ready':
        sessions.ready = command.ready;
        return;
      case 'start-server':
      case 'stop-server':
      case 'silence-server':
        return this.moveServer(command.kind);
      case 'write-token':
      case 'request-certificate':
        return this.options.playProxy?.(command);
      default:
        return performIdentityCommand(command, this.options.identity);
    }
  }

  private moveServer(kind: 'start-server' | 'stop-server' | 'silence-server'): void {
    const { server } = this;
    if (!server || this.over) return;
    if (kind === 'silence-server') return server.silence();
    const work = async (): Promise<void> => {
      if (kind === 'stop-server') return server.stop();
      server.unsilence();
      await server.start();
    };
    this.serverWork = this.serverWork.then(work).catch((error: unknown) => this.options.onServerError(error));
  }
}
