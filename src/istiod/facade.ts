import type { Identity } from '../auth/identity.ts';
import type { Clock } from '../clock.ts';
import { bootstrap, type Bootstrap, type BootstrapNode, type BootstrapOptions } from '../envoy/bootstrap.ts';
import { FakeIstiodError } from '../errors.ts';
import type { FakeIstiod, PublishOptions } from '../fake-istiod.ts';
import { createJournal } from '../observe/journal.ts';
import type { Timeline } from '../observe/timeline.ts';
import { lastEventsText, waitFor, type EventMatch, type WaitOptions } from '../observe/wait.ts';
import type { FakeIstiodOptions, WithholdOptions } from '../options.ts';
import type { Credentials, LazyPod } from '../pod/lazy-pod.ts';
import { typeUrlNamed } from '../protocol/resource-type.ts';
import type { Status } from '../protocol/response.ts';
import type { SnapshotChange } from '../protocol/snapshot.ts';
import type { WithholdRule } from '../protocol/withhold-rule.ts';
import { wishedBootstrap, wishOf } from '../script/bootstrap-wish.ts';
import type { Scenario } from '../script/scenario.ts';
import type { ControlPlane } from '../session/control-plane.ts';
import type { MessageStore } from '../session/message-store.ts';
import type { NodeState } from '../session/node-state.ts';
import { createPush, type PushSurroundings } from '../session/push.ts';
import type { Published } from '../session/store.ts';
import type { XdsServer } from '../wire/xds-server.ts';
import { beginningOf, scenarioOf, type Encoder } from './beginning.ts';

/** What a running server is made of. */
export interface Parts {
  readonly options: FakeIstiodOptions;
  readonly timeline: Timeline;
  readonly messages: MessageStore;
  readonly plane: ControlPlane;
  readonly server: XdsServer;
  readonly identity: Identity;
  readonly pod: LazyPod;
  /** What the scenario's bootstrap holds of identity. */
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly encode: Encoder;
}

const closedByRequest: Status = { code: 14, message: 'closed by request' };

/** Where clients on this machine reach a server that listens at `address`. */
export function reachableHost(address: string): string {
  const anyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return anyAddress[address] ?? address;
}

/** The public face of a server that runs. */
export function facade(parts: Parts): FakeIstiod {
  const { timeline, plane, pod, clock } = parts;
  const ending = new AbortController();
  const stop = async (): Promise<void> => {
    ending.abort(new FakeIstiodError('istiod.stopped', 'the fake istiod was stopped while something waited for it'));
    await plane.stop();
    await pod.stop();
  };
  const pushes: PushSurroundings = {
    clock,
    streams: () => plane.sessions.all.map(({ state }) => state),
    onChange: (listener) => both(timeline.subscribe(listener), plane.sessions.onMoved(listener)),
    ended: ending.signal,
    lastEvents: () => lastEventsText(timeline),
  };
  const player = new Player(parts);
  const ends = { stop, [Symbol.asyncDispose]: stop };
  const wait = (awaited: EventMatch, options?: WaitOptions) =>
    waitFor(timeline, awaited, { clock, ...options, ...endOf(ending.signal, options?.signal) });
  return joined(joined(whatIsKnown(parts), whatCanBeTaken(parts, player)), {
    ...whatCanBeMoved(parts, player, pushes),
    ...ends,
    waitFor: wait,
  });
}

/** What can be looked at; it is as it is at the moment of looking. */
function whatIsKnown({ timeline, messages, plane, server }: Parts) {
  return {
    host: reachableHost(server.address),
    get port() {
      return server.port;
    },
    get plaintextPort() {
      return server.plaintextPort;
    },
    control: undefined,
    debug: undefined,
    timeline,
    journal: createJournal(timeline, messages),
    get scenario() {
      return plane.scenario;
    },
    get sessions() {
      return plane.sessions.all;
    },
    get nodes() {
      return plane.sessions.nodes;
    },
    get rules() {
      return plane.rules;
    },
    get steps() {
      return plane.steps;
    },
    get waitingSteps() {
      return plane.waitingSteps;
    },
    get neverFired() {
      return plane.neverFired;
    },
  } satisfies Partial<FakeIstiod>;
}

/** What can be taken along: by a proxy, or by who wants to look closer. */
function whatCanBeTaken({ timeline, plane, server, identity }: Parts, player: Player) {
  return {
    node: (id) => nodeNamed(plane, id),
    snapshot: (nodeId) => plane.snapshot(nodeId),
    bootstrap: ({ envoy, ...options } = {}) => bootstrapFor(server, player.wishes(envoy), options),
    rootCertificate: () => server.rootCertificatePem(),
    formerRootCertificates: () => identity.authority.formerRootPems(),
    token: (wish) => identity.token(wish),
    clientCertificate: (workload, options) => identity.clientCertificate(workload, options),
    on: (listener) => timeline.subscribe(listener),
  } satisfies Partial<FakeIstiod>;
}

function whatCanBeMoved({ timeline, plane, encode }: Parts, player: Player, pushes: PushSurroundings) {
  const pushed = (change: SnapshotChange, options?: PublishOptions) => createPush(publishFor(plane, change, options), pushes);
  return {
    publish: (resources, options) => pushed(encode.replacementOf(resources), options),
    update: (update, options) => pushed(encode.updateOf(update), options),
    push: (version) => createPush(publishNamed(plane, version), pushes),
    withhold: (type, options) => plane.perform({ kind: 'withhold', rules: [ruleOf(type, options)] }),
    release: (type, options) => void plane.perform({ kind: 'release', rules: [ruleOf(type, options)] }),
    perform: (command) => plane.perform(command),
    changeRule: (id, command) => plane.changeRule(id, command),
    removeRule: (id) => plane.removeRule(id),
    reset: () => plane.reset(),
    close: (streams, status = closedByRequest) => plane.close(status, streams),
    play: (scenario) => player.play(scenario),
    serveAnew: async (scenario) => createPush(await player.serveAnew(scenario), pushes),
    stopScenario: () => plane.stopScenario(),
    mark: (moment) => void plane.perform({ kind: 'mark', moment }),
    report: (event) => void timeline.record(event),
  } satisfies Partial<FakeIstiod>;
}

function both(a: () => void, b: () => void): () => void {
  return () => {
    a();
    b();
  };
}

/** Both objects in one, getters staying getters. */
function joined<A extends object, B extends object>(a: A, b: B): A & B {
  return Object.defineProperties(a, Object.getOwnPropertyDescriptors(b)) as A & B;
}

/** Plays other scenarios, one after the other, and knows what the one in play wishes of the bootstrap. */
class Player {
  private credentials: Credentials;
  private turn: Promise<void> = Promise.resolve();
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
    this.credentials = parts.credentials;
  }

  /** Of an Envoy by its name; without a name, of the only one or the first. Throws `options.invalid`. */
  wishes(envoy: string | undefined): BootstrapOptions {
    const { scenario } = this.parts.plane;
    const wish = wishOf(scenario, envoy);
    if (!wish)
      throw unknownEnvoy(
        envoy ?? '',
        (scenario?.envoys ?? []).map(({ name }) => name),
      );
    const credentials = envoy === undefined ? this.credentials.own : this.credentials.of.get(envoy);
    return { ...wishedBootstrap(wish), ...credentials } as BootstrapOptions;
  }

  play(scenario: string | Scenario): Promise<void> {
    const done = this.turn.then(() => this.begin(scenario));
    this.turn = done.catch(() => undefined);
    return done;
  }

  async serveAnew(scenario: string | Scenario | (() => Promise<Scenario>)): Promise<Published> {
    const { options, plane, timeline } = this.parts;
    try {
      const loaded = await scenarioOf({ ...options, scenario: typeof scenario === 'function' ? await scenario() : scenario });
      const { layers } = await beginningOf(loaded, options);
      return plane.serveAnew(layers, `serve ${loaded?.name ?? 'nothing'} anew`);
    } catch (error) {
      timeline.record({ event: 'reload.failed', reason: FakeIstiodError.from(error).message });
      throw error;
    }
  }

  private async begin(scenario: string | Scenario): Promise<void> {
    const { options, plane, pod } = this.parts;
    const loaded = await scenarioOf({ ...options, scenario });
    const beginning = await beginningOf(loaded, options);
    this.credentials = await pod.prepareAll(loaded);
    plane.begin(beginning, `play ${loaded?.name ?? 'nothing'}`);
  }
}

function unknownEnvoy(name: string, known: readonly string[]): FakeIstiodError {
  return new FakeIstiodError('options.invalid', `the scenario has no Envoy of the name ${JSON.stringify(name)}`, {
    remedy: known.length > 0 ? `Its Envoys are ${known.join(', ')}` : 'It has one, without a name: leave the name out',
  });
}

function nodeNamed({ sessions }: ControlPlane, id: string): NodeState {
  const found = sessions.node(id);
  if (found) return found;
  const known = sessions.nodes.map((node) => node.id);
  throw new FakeIstiodError('node.not-found', `no node with the id ${JSON.stringify(id)} is connected, or was lately`, {
    remedy: known.length > 0 ? `Known are ${known.slice(0, 5).join(', ')}${known.length > 5 ? ' …' : ''}` : 'No node is',
  });
}

function publishNamed(plane: ControlPlane, version: string | undefined): Published {
  const found = plane.published(version);
  if (found) return found;
  throw new FakeIstiodError('push.not-found', `no push has the version ${String(version)}, or it is too long ago`, {
    remedy: `The newest is ${plane.published(undefined)?.version ?? 'none'}`,
  });
}

function publishFor(plane: ControlPlane, change: SnapshotChange, { node }: PublishOptions = {}): Published {
  if (node === undefined) return plane.publish(change);
  return plane.publishTo(typeof node === 'string' ? { id: node } : node, change);
}

function ruleOf(type: string, { names, node }: WithholdOptions = {}): WithholdRule {
  return { typeUrl: typeUrlNamed(type), ...(names ? { names } : {}), ...(node ? { node: { id: node } } : {}) };
}

/** Ends a wait when nothing will happen any more; what is known already still counts then. */
function endOf(ending: AbortSignal, own: AbortSignal | undefined): Pick<WaitOptions, 'signal' | 'timeoutMs' | 'hint'> {
  if (ending.aborted) return { timeoutMs: 0, hint: () => 'the fake istiod has been stopped: nothing more happens to it' };
  return { signal: own ? AbortSignal.any([ending, own]) : ending };
}

/** The scenario's wishes under the caller's, pointing at our server. */
function bootstrapFor({ address, port }: XdsServer, wished: BootstrapOptions, options: BootstrapOptions): Bootstrap {
  // Who says only part of who it is stays, for the rest, who the scenario says.
  const node = wished.node && options.node ? { node: nodeLaidOver(wished.node, options.node) } : {};
  return bootstrap({ host: reachableHost(address), port, ...wished, ...options, ...node });
}

/** @note A scenario with several Envoys gives each a whole id; it holds no more once a part of it is another one. */
function nodeLaidOver(wished: BootstrapNode, own: BootstrapNode): BootstrapNode {
  const { id: _, ...rest } = wished;
  const differs = [own.ip, own.name, own.namespace].some((part) => part !== undefined);
  return { ...(differs ? rest : wished), ...own };
}
