import type { Identity } from '../auth/identity.ts';
import { formatSpiffeId, parseSpiffeId } from '../ca/spiffe-id.ts';
import type { Clock } from '../clock.ts';
import type { DebugOptions } from '../debug/debug-server.ts';
import type { DebuggedIstiod, KnownCaller } from '../debug/face.ts';
import type { Metrics } from '../debug/metrics.ts';
import type { FakeIstiod } from '../fake-istiod.ts';
import type { Timeline } from '../observe/timeline.ts';
import type { ControlPlane } from '../session/control-plane.ts';
import type { Informant, Question } from '../session/informant.ts';
import type { MessageStore } from '../session/message-store.ts';

interface Parts {
  readonly plane: ControlPlane;
  readonly timeline: Timeline;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly podName: string;
}

/** What can be asked of a server about itself. */
export function debugFace({ plane, timeline, identity, clock, podName }: Parts): DebuggedIstiod {
  const startedAt = new Date(clock.date().getTime() - timeline.nowMs);
  return {
    podName,
    timeline,
    startedAt,
    trustDomain: identity.authority.trustDomain,
    get quirks() {
      return plane.quirks;
    },
    get clusters() {
      return identity.clusters;
    },
    get mesh() {
      return plane.mesh;
    },
    get nodes() {
      return plane.sessions.nodes;
    },
    get sessions() {
      return plane.sessions.all;
    },
    get ready() {
      return plane.sessions.ready && !plane.rules.some(({ command }) => command.kind === 'stop-server');
    },
    snapshot: (nodeId) => plane.snapshot(nodeId),
    pushAll() {
      plane.publish({});
      return plane.sessions.pushAll();
    },
    identify: (credentials) => identified(identity, { ...credentials, secure: false }),
  };
}

async function identified(identity: Identity, credentials: Parameters<Identity['callerOf']>[0]): Promise<KnownCaller | undefined> {
  const caller = await identity.callerOf(credentials);
  return caller && { namespace: caller.identity.namespace, spiffeId: formatSpiffeId(caller.identity) };
}

/** Who answers questions over ADS; loaded with the first of them. */
export function informantOf(istiod: DebuggedIstiod, identity: Identity): Informant {
  return {
    async answer(question) {
      const { inform } = await import('../debug/informant.ts');
      return inform(question, await callerOf(question, identity), istiod);
    },
  };
}

/** Who was asked at the door is known; in an open lab it is what is shown that counts. */
async function callerOf({ identity: proven, description }: Question, identity: Identity): Promise<KnownCaller | undefined> {
  if (!proven) return identified(identity, { peer: description.peer, secure: description.secure, ...description.credentials });
  const { namespace } = parseSpiffeId(proven.spiffeId) ?? {};
  return namespace === undefined ? undefined : { namespace, spiffeId: proven.spiffeId };
}

/** What counts from the first event on; nobody counts where nobody can ask. */
export async function countedFrom(
  timeline: Timeline,
  messages: MessageStore,
  options: DebugOptions | undefined,
): Promise<Metrics | undefined> {
  if (options?.monitoringPort === undefined) return undefined;
  const { Metrics } = await import('../debug/metrics.ts');
  const metrics = new Metrics((seq) => messages.sizeOf(seq));
  timeline.subscribe((event) => metrics.see(event));
  return metrics;
}

/** The server with istiod's own HTTP, which ends after it. Error as `startDebugServers`. */
export async function debugged(
  istiod: FakeIstiod,
  face: DebuggedIstiod,
  options: DebugOptions,
  metrics: Metrics | undefined,
): Promise<FakeIstiod> {
  const { startDebugServers } = await import('../debug/debug-server.ts');
  const servers = await startDebugServers(face, options, () => metrics?.families ?? []).catch(async (error: unknown) => {
    await istiod.stop();
    throw error;
  });
  const stopPlane = istiod.stop;
  const stop = async (): Promise<void> => {
    await stopPlane();
    await servers.stop();
  };
  const { monitoringUrl, httpUrl } = servers;
  return Object.defineProperties(istiod, {
    debug: { value: Object.freeze({ monitoringUrl, httpUrl }), enumerable: true, configurable: true },
    stop: { value: stop, enumerable: true, configurable: true },
    [Symbol.asyncDispose]: { value: stop, configurable: true },
  });
}
