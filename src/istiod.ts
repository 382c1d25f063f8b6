import { Identity } from './auth/identity.ts';
import type { PkiFolder } from './ca/pki-folder.ts';
import { systemClock } from './clock.ts';
import { FakeIstiodError } from './errors.ts';
import type { FakeIstiod } from './fake-istiod.ts';
import { beginningOf, encoder, scenarioOf } from './istiod/beginning.ts';
import { controlled } from './istiod/controlled.ts';
import { countedFrom, debugFace, debugged, informantOf } from './istiod/debugged.ts';
import { facade, reachableHost } from './istiod/facade.ts';
import { newRecording } from './istiod/recording.ts';
import type { SourceTimeline } from './observe/timeline.ts';
import type { FakeIstiodOptions } from './options.ts';
import { LazyPod } from './pod/lazy-pod.ts';
import { matchesPattern } from './protocol/node.ts';
import type { IdentityCommand } from './script/command.ts';
import type { ProxyCommand } from './script/proxy-identity.ts';
import { ControlPlane } from './session/control-plane.ts';
import type { IdentityPort } from './session/identity-port.ts';
import { createXdsServer, type XdsServer } from './wire/xds-server.ts';

/**
 * Starts a fake istiod and resolves when it listens (or, if the scenario wants it down, when it is ready to).
 *
 * @throws FakeIstiodError `port.in-use`, `port.forbidden`, `scenario.*`, `resource.invalid`, `pki.invalid`, `input.*`.
 */
export async function startFakeIstiod(options: FakeIstiodOptions = {}): Promise<FakeIstiod> {
  const clock = options.clock ?? systemClock;
  const beginning = await beginningOf(await scenarioOf(options), options);
  const { timeline, messages, emit } = newRecording(options, clock);
  const onServerError = (error: unknown): void => emit({ event: 'server.failed', reason: FakeIstiodError.from(error).message });
  const identity = new Identity({
    clock,
    emit,
    matches: matchesPattern,
    pki: await pkiOf(options),
    trustDomain: trustDomainOf(beginning.identity),
  });
  const metrics = await countedFrom(timeline, messages, options.debug);
  let content = beginning.layers.some((layer) => layer.content) ? await import('./services/node-content.ts') : undefined;
  const port = identityPort(identity, () => server);
  const pod = new LazyPod({ clock, identity, emit, address: () => ({ host: reachableHost(server.address), port: server.port }) });
  const playProxy = (command: ProxyCommand): void => void pod.perform(command).catch(onServerError);
  const plane = new ControlPlane({
    clock,
    beginning,
    emit: (event, whose) => timeline.note(event, whose),
    nowMs: () => timeline.nowMs,
    messages,
    doorman: identity.xdsDoor,
    identity: port,
    playProxy,
    contentMaker: () => content,
    onServerError,
  });
  const server = createXdsServer({
    streams: plane.sessions,
    emit,
    clock,
    authority: identity.authority,
    policy: () => identity.guard.policy,
    certificates: identity.caDoor,
    caOnPlaintext: () => plane.quirks['ca-on-plaintext'],
    port: options.port ?? 0,
    tls: options.tls ?? 'auto',
    ...(options.bind ? { bind: options.bind } : {}),
    ...(options.plaintextPort === undefined ? {} : { plaintextPort: options.plaintextPort }),
    ...(options.maxMessageBytes === undefined ? {} : { maxMessageBytes: options.maxMessageBytes }),
    health: { isReady: () => plane.sessions.ready, onChange: (listener) => plane.sessions.onReadyChange(listener) },
  });
  letScriptHear(plane, timeline);
  const face = debugFace({ plane, timeline, identity, clock, podName: options.podName ?? 'fake-istiod' });
  plane.sessions.informant = informantOf(face, identity);
  try {
    const credentials = await pod.prepareAll(plane.scenario);
    await plane.start(server);
    content ??= await import('./services/node-content.ts');
    const bare = facade({ options, timeline, messages, plane, server, identity, pod, credentials, clock, encode: await encoder() });
    const { control, debug, maxInputBytes } = options;
    const istiod = debug ? await debugged(bare, face, debug, metrics) : bare;
    return control ? await controlled(istiod, control, { clock, maxInputBytes }) : istiod;
  } catch (error) {
    await pod.stop();
    throw error;
  }
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
    openGate: (service, id) => guard.gates[service].open(id),
    gateLeft: (service, id) => guard.gates[service].left(id),
    limitRate: (perSecond) => guard.limitRate(perSecond),
    presentTls: (preset) => server().presentTls(preset),
    rotateRoot() {
      authority.rotate();
      server().renewCertificate();
    },
    expireCertificate: (afterMs) => server().expireCertificate(afterMs),
  };
}

function letScriptHear(plane: ControlPlane, timeline: SourceTimeline): void {
  const isScripted = (): boolean => plane.isScripted;
  timeline.subscribe((event) => plane.see(event), isScripted);
}
