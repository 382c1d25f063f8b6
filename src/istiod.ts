import { Identity } from './auth/identity.ts';
import type { PkiFolder } from './ca/pki-folder.ts';
import { systemClock, type Clock } from './clock.ts';
import { bootstrap, type Bootstrap, type BootstrapOptions } from './envoy/bootstrap.ts';
import { FakeIstiodError } from './errors.ts';
import type { Event } from './events.ts';
import { createTimeline, type Timeline } from './observe/timeline.ts';
import { lastEventsText, waitFor, type EventMatch, type WaitOptions } from './observe/wait.ts';
import type { FakeIstiodOptions, WithholdOptions } from './options.ts';
import { LazyPod } from './pod/lazy-pod.ts';
import type { CredentialOptions } from './pod/pod.ts';
import type { ResourceSet, ResourceUpdate } from './protobuf/resource-set.ts';
import { matchesPattern } from './protocol/node.ts';
import { istiodQuirks } from './protocol/quirks.ts';
import { typeUrlNamed } from './protocol/resource-type.ts';
import type { Resource } from './protocol/resource.ts';
import type { SnapshotChange } from './protocol/snapshot.ts';
import type { WithholdRule } from './protocol/withhold-rule.ts';
import { wishedBootstrap } from './script/bootstrap-wish.ts';
import type { IdentityCommand, Layer } from './script/command.ts';
import type { ProxyCommand } from './script/proxy-identity.ts';
import type { Scenario } from './script/scenario.ts';
import { ControlPlane } from './session/control-plane.ts';
import { performIdentityCommand, type IdentityPort } from './session/identity-port.ts';
import { createPush, type PushSurroundings } from './session/push.ts';
import { createXdsServer, type XdsServer } from './wire/xds-server.ts';
import type { FakeIstiod } from './fake-istiod.ts';

/** Where clients on this machine reach a server that listens at `address`. */
function reachableHost(address: string): string {
  const anyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return anyAddress[address] ?? address;
}

/**
 * Starts a fake istiod and resolves when it listens (or, if the scenario wants it down, when it is ready to).
 *
 * @throws FakeIstiodError `port.in-use`, `port.forbidden`, `scenario.*`, `resource.invalid`, `pki.invalid`, `input.*`.
 */
export async function startFakeIstiod(options: FakeIstiodOptions = {}): Promise<FakeIstiod> {
  const clock = options.clock ?? systemClock;
  const scenario = await scenarioOf(options);
  const timeline = createTimeline(clock);
  if (options.onEvent) timeline.subscribe(options.onEvent);
  const emit = (event: Event): void => void timeline.record(event);
  const quirks = { ...(scenario?.istiod.quirks ?? istiodQuirks), ...options.quirks };
  const layers = options.serve ? withServed(scenario?.layers ?? [], options.serve, await encoder()) : (scenario?.layers ?? []);
  const onServerError = (error: unknown): void => emit({ event: 'server.failed', reason: FakeIstiodError.from(error).message });
  const opening = openingOf(options, scenario);
  const identity = new Identity({ clock, emit, matches: matchesPattern, pki: await pkiOf(options), trustDomain: trustDomainOf(opening) });
  const port = identityPort(identity, () => server);
  const pod = new LazyPod({ clock, identity, emit, address: () => ({ host: reachableHost(server.address), port: server.port }) });
  const playProxy = (command: ProxyCommand): void => void pod.perform(command).catch(onServerError);
  const plane = new ControlPlane({
    clock,
    emit,
    quirks,
    scenario,
    layers,
    doorman: identity.xdsDoor,
    identity: port,
    playProxy,
    onServerError,
  });
  const server = createXdsServer({
    streams: plane.sessions,
    emit,
    clock,
    authority: identity.authority,
    policy: () => identity.guard.policy,
    certificates: identity.caDoor,
    caOnPlaintext: quirks['ca-on-plaintext'],
    port: options.port ?? 0,
    tls: options.tls ?? 'auto',
    ...(options.bind ? { bind: options.bind } : {}),
    ...(options.plaintextPort === undefined ? {} : { plaintextPort: options.plaintextPort }),
    ...(options.maxMessageBytes === undefined ? {} : { maxMessageBytes: options.maxMessageBytes }),
    health: { isReady: () => plane.sessions.ready, onChange: (listener) => plane.sessions.onReadyChange(listener) },
  });
  timeline.subscribe((event) => plane.see(event));
  for (const command of opening) performIdentityCommand(command, port);
  try {
    const credentials = await pod.prepare(scenario?.bootstrap);
    await plane.start(server, scenario?.istiod.state ?? 'up');
    return facade({ scenario, timeline, plane, server, identity, pod, credentials, clock, encode: await encoder() });
  } catch (error) {
    await pod.stop();
    throw error;
  }
}

/** What the scenario begins with of identity, and the caller's wish about it. */
function openingOf({ auth, pki }: FakeIstiodOptions, scenario: Scenario | undefined): readonly IdentityCommand[] {
  const begun = scenario?.identity ?? [];
  if (auth === false) return begun.filter(({ kind }) => kind !== 'auth');
  if (auth === undefined && pki === undefined) return begun;
  return [...begun, { kind: 'auth', wish: typeof auth === 'object' ? auth : {} }];
}

function trustDomainOf(opening: readonly IdentityCommand[]): string | undefined {
  const named = opening.flatMap((command) => (command.kind === 'auth' && command.wish !== 'off' ? (command.wish.trustDomains ?? []) : []));
  return named[0];
}

async function pkiOf({ pki, clock }: FakeIstiodOptions): Promise<PkiFolder | undefined> {
  if (typeof pki !== 'string') return pki;
  const { openPki } = await import('./ca/pki-folder.ts');
  return openPki(pki, { create: true, ...(clock ? { clock } : {}) });
}

/** Commands about identity move the guard and the server. */
function identityPort(identity: Identity, server: () => XdsServer): IdentityPort {
  const { guard, authority } = identity;
  return {
    changePolicy: (wish) => identity.changePolicy(wish),
    closeGate: (service, rule) => guard.gates[service].close(rule),
    openGate: (service) => guard.gates[service].open(),
    limitRate: (perSecond) => guard.limitRate(perSecond),
    presentTls: (preset) => server().presentTls(preset),
    rotateRoot() {
      authority.rotate();
      server().renewCertificate();
    },
    expireCertificate: (afterMs) => server().expireCertificate(afterMs),
  };
}

interface Encoder {
  readonly replacementOf: (set: ResourceSet) => SnapshotChange;
  readonly updateOf: (update: ResourceUpdate) => SnapshotChange;
}

/** `publish` encodes at once, so what it needs is loaded before; after the ports listen, for nobody waits for it there. */
function encoder(): Promise<Encoder> {
  return import('./protobuf/resource-set.ts');
}

async function scenarioOf({ scenario, maxInputBytes }: FakeIstiodOptions): Promise<Scenario | undefined> {
  if (typeof scenario !== 'string') return scenario;
  const [{ findScenario }, { loadScenario }] = await Promise.all([import('./script/packaged.ts'), import('./script/load.ts')]);
  return loadScenario(await findScenario(scenario), maxInputBytes === undefined ? {} : { maxInputBytes });
}

/** The base with the types of `serve` in place of its own. */
function withServed(layers: readonly Layer[], serve: ResourceSet, { replacementOf }: Encoder): readonly Layer[] {
  const served = replacementOf(serve).replace ?? new Map<string, readonly Resource[]>();
  const [first] = layers;
  const base: Layer = first && !first.node ? first : { resources: [] };
  const resources = [...base.resources.filter(({ typeUrl }) => !served.has(typeUrl)), ...[...served.values()].flat()];
  return [{ resources, types: [...(base.types ?? []), ...served.keys()] }, ...layers.slice(base === first ? 1 : 0)];
}

function ruleOf(type: string, { names, node }: WithholdOptions = {}): WithholdRule {
  return { typeUrl: typeUrlNamed(type), ...(names ? { names } : {}), ...(node ? { node: { id: node } } : {}) };
}

interface Parts {
  readonly scenario: Scenario | undefined;
  readonly timeline: Timeline;
  readonly plane: ControlPlane;
  readonly server: XdsServer;
  readonly identity: Identity;
  readonly pod: LazyPod;
  /** What the scenario's bootstrap holds of identity. */
  readonly credentials: CredentialOptions;
  readonly clock: Clock;
  readonly encode: Encoder;
}

function facade({ scenario, timeline, plane, server, identity, pod, credentials, clock, encode }: Parts): FakeIstiod {
  const ending = new AbortController();
  const stop = async (): Promise<void> => {
    ending.abort(new FakeIstiodError('istiod.stopped', 'the fake istiod was stopped while something waited for it'));
    await plane.stop();
    await pod.stop();
  };
  const streams = () => plane.sessions.all.map(({ state }) => state);
  const pushSurroundings: PushSurroundings = {
    clock,
    streams,
    onChange: (listener) => timeline.subscribe(listener),
    ended: ending.signal,
    lastEvents: () => lastEventsText(timeline),
  };
  return {
    host: reachableHost(server.address),
    get port() {
      return server.port;
    },
    get plaintextPort() {
      return server.plaintextPort;
    },
    scenario,
    timeline,
    get sessions() {
      return plane.sessions.all;
    },
    bootstrap: (options) => bootstrapFor(server, { ...wishedBootstrap(scenario?.bootstrap), ...credentials } as BootstrapOptions, options),
    rootCertificate: () => server.rootCertificatePem(),
    formerRootCertificates: () => identity.authority.formerRootPems(),
    token: (wish) => identity.token(wish),
    clientCertificate: (workload, options) => identity.clientCertificate(workload, options),
    on: (listener) => timeline.subscribe(listener),
    waitFor: (awaited: EventMatch, options?: WaitOptions) =>
      waitFor(timeline, awaited, { clock, ...options, ...endOf(ending.signal, options?.signal) }),
    publish: (resources) => createPush(plane.publish(encode.replacementOf(resources)), pushSurroundings),
    update: (update) => createPush(plane.publish(encode.updateOf(update)), pushSurroundings),
    withhold: (type, options) => plane.perform({ kind: 'withhold', rules: [ruleOf(type, options)] }),
    release: (type, options) => plane.perform({ kind: 'release', rules: [ruleOf(type, options)] }),
    perform: (command) => plane.perform(command),
    mark: (moment) => plane.perform({ kind: 'mark', moment }),
    report: (event) => void timeline.record(event),
    get waitingSteps() {
      return plane.waitingSteps;
    },
    get neverFired() {
      return plane.neverFired;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Ends a wait when nothing will happen any more; what is known already still counts then. */
function endOf(ending: AbortSignal, own: AbortSignal | undefined): Pick<WaitOptions, 'signal' | 'timeoutMs' | 'hint'> {
  if (ending.aborted) return { timeoutMs: 0, hint: () => 'the fake istiod has been stopped: nothing more happens to it' };
  return { signal: own ? AbortSignal.any([ending, own]) : ending };
}

/** The scenario's wishes under the caller's, pointing at our server. */
function bootstrapFor({ address, port }: XdsServer, wished: BootstrapOptions, options: BootstrapOptions = {}): Bootstrap {
  return bootstrap({ host: reachableHost(address), port, ...wished, ...options });
}
