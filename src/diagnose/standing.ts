import type { ServerState } from '../envoy/index.ts';
import { agentReadiness, newAgentMemory } from '../sidecar/agent-readiness.ts';
import type { Evidence } from './evidence.ts';
import type { ContainerFact } from './fact.ts';
import type { Seen } from './seen.ts';

/** How a proxy fares. */
export const proxyClasses = {
  'never-started': 'the container never started: neither pilot-agent nor Envoy ran',
  'crash-loop': 'the proxy exits: in Kubernetes, CrashLoopBackOff',
  'not-ready': 'the proxy runs and is not ready',
  'false-live': 'Envoy says LIVE, without the configuration that it waited for',
  ready: 'the proxy is ready',
  unknown: "can't tell from this",
} as const;
export type ProxyClass = keyof typeof proxyClasses;

export interface Standing {
  readonly class: ProxyClass;
  /** What says so. */
  readonly evidence: readonly Evidence[];
  /** Envoy's state, as far as it is told or follows from stats. */
  readonly state?: ServerState;
  /** pilot-agent's readiness rule over these stats, or its own words: `ready` or the reason. */
  readonly agent?: { readonly verdict: string; readonly evidence: readonly Evidence[] };
  /** A stream to istiod is open. Undefined: not told. */
  readonly isConnected?: boolean;
  /** CDS was accepted at least once. Undefined: not told. */
  readonly hasClusters?: boolean;
  readonly hasListeners?: boolean;
}

const agentStats = [
  'cluster_manager.cds.update_success',
  'cluster_manager.cds.update_rejected',
  'listener_manager.lds.update_success',
  'listener_manager.lds.update_rejected',
];

/** Tells the class, and what else the rules lean on. */
export function standingOf(seen: Seen): Standing {
  const state = stateOf(seen);
  const agent = agentOf(seen, state?.state);
  const connected = seen.count('control_plane.connected_state');
  const shared = {
    ...(state ? { state: state.state } : {}),
    ...(agent ? { agent } : {}),
    ...optional('isConnected', connected === undefined ? undefined : connected > 0),
    ...optional('hasClusters', isAbove(seen.count('cluster_manager.cds.update_success'))),
    ...optional('hasListeners', isAbove(seen.count('listener_manager.lds.update_success'))),
  };
  return { ...shared, ...classOf(seen, state, agent) };
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}

function isAbove(count: number | undefined): boolean | undefined {
  return count === undefined ? undefined : count > 0;
}

type StateFound = { readonly state: ServerState; readonly evidence: readonly Evidence[] };
type Classed = Pick<Standing, 'class' | 'evidence'>;

function classOf(seen: Seen, state: StateFound | undefined, agent: Standing['agent']): Classed {
  const exits = exitsOf(seen, state);
  if (exits.length > 0) return { class: 'crash-loop', evidence: exits };
  const never = neverStarted(seen);
  if (never.length > 0) return { class: 'never-started', evidence: never };
  const isReady = agent?.verdict === 'ready';
  if (state?.state === 'LIVE') {
    const passed = passedTimeouts(seen);
    if (passed.length > 0) return { class: 'false-live', evidence: [...state.evidence, ...passed] };
    if (agent && !isReady && !/not yet updated/.test(agent.verdict))
      return { class: 'not-ready', evidence: [...state.evidence, ...agent.evidence] };
    return { class: 'ready', evidence: state.evidence };
  }
  if (state) return { class: 'not-ready', evidence: state.evidence };
  if (agent) return { class: isReady ? 'ready' : 'not-ready', evidence: agent.evidence };
  return byKubernetes(seen);
}

function byKubernetes(seen: Seen): Classed {
  const proxies = seen.of('container').filter(isProxy);
  const [waiting, ready] = [proxies.filter((one) => one.ready === false), proxies.filter((one) => one.ready === true)];
  if (waiting.length > 0) return { class: 'not-ready', evidence: waiting };
  const probes = seen.kubeEvents(/^Unhealthy: (Readiness|Startup) probe failed: (.*:150(20|21)\/|HTTP probe failed with statuscode: 503)/);
  if (ready.length === 0 && probes.length > 0) return { class: 'not-ready', evidence: probes.slice(-1) };
  if (ready.length > 0) return { class: 'ready', evidence: ready };
  return { class: 'unknown', evidence: [] };
}

/** The container of the proxy, or a row of a pod where containers are not told apart. */
function isProxy({ name }: ContainerFact): boolean {
  return name === 'istio-proxy' || /-[a-z0-9]{5}$|-\d+$/.test(name);
}

function exitsOf(seen: Seen, state: StateFound | undefined): readonly Evidence[] {
  const exits = seen.of('exit').filter(({ code }) => code !== 0);
  const loops = seen
    .of('container')
    .filter(
      (one) =>
        isProxy(one) &&
        (one.reason === 'CrashLoopBackOff' || one.reason === 'Error' || (one.state === 'terminated' && (one.exitCode ?? 0) !== 0)),
    );
  // A state comes from an Envoy that runs; what a log tells of an earlier one is past.
  if (state && exits.length === 0) return loops;
  const logged = seen
    .log(/initializing config|^error initializing configuration|^rc=[1-9]|exited with code [1-9]|exit status [1-9]/)
    .filter(({ text }) => !/iptables|ip6tables|nft/.test(text));
  return [...exits, ...loops, ...logged.filter((line) => !isPast(seen, line)).slice(-1)];
}

/** A line of a run that was followed by one that got ready, in the same log. */
function isPast(seen: Seen, { at }: Evidence): boolean {
  return seen
    .log(/Envoy proxy is ready|Readiness succeeded/)
    .some((later) => later.at.file === at.file && (later.at.line ?? 0) > (at.line ?? 0));
}

function neverStarted(seen: Seen): readonly Evidence[] {
  if (seen.of('container').some((one) => isProxy(one) && (one.ready === true || one.state === 'running'))) return [];
  const waiting = seen
    .of('container')
    .filter(({ reason }) =>
      /^(ContainerCreating|PodInitializing|ImagePullBackOff|ErrImagePull|CreateContainerConfigError|InvalidImageName)$/.test(reason ?? ''),
    );
  const mounts = seen.kubeEvents(/^(FailedMount|FailedAttachVolume|FailedCreatePodSandBox): /);
  return waiting.length > 0
    ? [...waiting, ...mounts.slice(-1)]
    : mounts.length > 0 && seen.of('log').length === 0 && seen.of('container').every(({ state }) => state !== 'running')
      ? mounts
      : [];
}

/** The state by Envoy's word, by what follows from stats, or by pilot-agent's log. */
function stateOf(seen: Seen): StateFound | undefined {
  const told = seen.of('state').at(-1);
  if (told) return { state: told.state, evidence: [told] };
  return stateByStats(seen) ?? stateByAgent(seen);
}

const gauge: readonly ServerState[] = ['LIVE', 'DRAINING', 'PRE_INITIALIZING', 'INITIALIZING'];

/** @note the gauge `server.state` is written at each flush; until then a full `/stats` shows 0, which would be LIVE. */
function stateByStats(seen: Seen): StateFound | undefined {
  const [state, workers] = [seen.stat('server.state'), seen.stat('listener_manager.workers_started')];
  const value = typeof state?.value === 'number' ? gauge[state.value] : undefined;
  if (state && value !== undefined && value !== 'LIVE' && value !== 'DRAINING') return { state: value, evidence: [state] };
  if (workers?.value === 1) return { state: value ?? 'LIVE', evidence: state ? [state, workers] : [workers] };
  if (workers?.value !== 0) return undefined;
  const lds = seen.stat('listener_manager.lds.update_attempt');
  if (lds === undefined) return undefined;
  return { state: lds.value === 0 ? 'PRE_INITIALIZING' : 'INITIALIZING', evidence: [workers, lds] };
}

function stateByAgent(seen: Seen): StateFound | undefined {
  const line = seen.log(/server is not live, current state is: [A-Z_]+/).at(-1);
  const name = line && /current state is: ([A-Z_]+)/.exec(line.text)?.[1];
  const state = gauge.find((one) => one === name);
  return line && state ? { state, evidence: [line] } : undefined;
}

/** pilot-agent's word, or its rule over stats that are all there. */
function agentOf(seen: Seen, state: ServerState | undefined): Standing['agent'] {
  const said = seen.log(/Envoy proxy is (NOT )?ready/).at(-1);
  const all = agentStats.map((name) => seen.listedStat(name));
  // Of what is not listed nobody knows whether it is zero.
  if (all.some((one) => one === undefined)) {
    if (!said) return undefined;
    const reason = /NOT ready: (.*)$/.exec(said.text)?.[1];
    return { verdict: /NOT ready/.test(said.text) ? (reason ?? 'not ready') : 'ready', evidence: [said] };
  }
  const used = new Map(agentStats.flatMap((name, i) => (all[i] && all[i].value !== 0 ? [[name, all[i].value] as const] : [])));
  const workers = seen.count('listener_manager.workers_started') ?? (state === 'LIVE' ? 1 : undefined);
  if (workers !== undefined) used.set('listener_manager.workers_started', workers);
  if (state) used.set('server.state', gauge.indexOf(state));
  const { verdict } = agentReadiness(newAgentMemory, used);
  return { verdict, evidence: all.flatMap((one) => one ?? []) };
}

/** Fetch timeouts that passed, where nothing has come since. */
export function passedTimeouts(seen: Seen): readonly Evidence[] {
  const stats = seen.statsLike(/[._]init_fetch_timeout$/).filter(({ name, value }) => {
    const success = seen.count(`${name.slice(0, -'init_fetch_timeout'.length)}update_success`);
    return typeof value === 'number' && value > 0 && !(success !== undefined && success > 0);
  });
  if (stats.length > 0) return stats;
  if (seen.statsLike(/[._]init_fetch_timeout$/).length > 0) return [];
  return seen.log(/initial fetch timed out/);
}
