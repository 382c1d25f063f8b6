import type { StatValue } from '../envoy/index.ts';

/** What pilot-agent remembers between two probes: each of its two questions is asked until it was answered with yes once. */
export interface AgentMemory {
  /** CDS and LDS were both accepted at least once. */
  readonly configReceived: boolean;
  /** The server was LIVE with its workers started at least once. */
  readonly wasLive: boolean;
}

export interface AgentReadiness {
  readonly memory: AgentMemory;
  /** `ready`, or pilot-agent's reason in its own words (it logs them after `Envoy proxy is NOT ready: `). */
  readonly verdict: string;
}

/** The filter of pilot-agent's two requests to `/stats?usedonly`, in one. */
export const agentStatsFilter =
  '^(server\\.state|listener_manager\\.workers_started|(cluster_manager\\.cds|listener_manager\\.lds)\\.(update_success|update_rejected))$';

/** What a pilot-agent that never probed remembers. */
export const newAgentMemory: AgentMemory = { configReceived: false, wasLive: false };

/** Values of the gauge `server.state` (envoy.admin.v3.ServerInfo.State). */
const stateNames = ['LIVE', 'DRAINING', 'PRE_INITIALIZING', 'INITIALIZING'] as const;

/**
 * pilot-agent's readiness rule (istio pilot/cmd/pilot-agent/status/ready/probe.go, status/util/stats.go) over the stats that
 * `/stats?usedonly` gives for `agentStatsFilter`.
 *
 * @note The rule reads the gauge `server.state`, not `/server_info`: the gauge is written at each stats flush (5 s) and is absent before the
 * first one, so a pilot-agent may call a LIVE Envoy not ready for that long. `usedonly` matters: without it the gauge reads 0, which is LIVE.
 */
export function agentReadiness(memory: AgentMemory, usedStats: ReadonlyMap<string, StatValue>): AgentReadiness {
  const count = (name: string): number => Number(usedStats.get(name) ?? 0);
  const received =
    memory.configReceived || (count('cluster_manager.cds.update_success') > 0 && count('listener_manager.lds.update_success') > 0);
  if (!received) return { memory, verdict: configReason(count) };
  const withConfig: AgentMemory = { ...memory, configReceived: true };
  const reason = memory.wasLive ? undefined : stateReason(usedStats);
  return reason === undefined ? { memory: { ...withConfig, wasLive: true }, verdict: 'ready' } : { memory: withConfig, verdict: reason };
}

function configReason(count: (name: string) => number): string {
  const [cdsGood, cdsBad] = [count('cluster_manager.cds.update_success'), count('cluster_manager.cds.update_rejected')];
  const [ldsGood, ldsBad] = [count('listener_manager.lds.update_success'), count('listener_manager.lds.update_rejected')];
  const counts = `cds updates: ${cdsGood} successful, ${cdsBad} rejected; lds updates: ${ldsGood} successful, ${ldsBad} rejected`;
  // Both rejected is "not received" too: the question whether anything succeeded comes first.
  if (cdsGood === 0 && ldsGood === 0) return `config not received from XDS server (is Istiod running?): ${counts}`;
  if (cdsBad > 0 || ldsBad > 0) return `config received from XDS server, but was rejected: ${counts}`;
  return `config not fully received from XDS server: ${counts}`;
}

function stateReason(usedStats: ReadonlyMap<string, StatValue>): string | undefined {
  const state = usedStats.get('server.state');
  const workers = usedStats.get('listener_manager.workers_started');
  if (state === undefined) return 'failed to get readiness stats: server.state is not yet updated';
  if (workers === undefined) return 'failed to get readiness stats: listener_manager.workers_started is not yet updated';
  if (Number(state) !== 0) return `server is not live, current state is: ${stateNames[Number(state)] ?? String(state)}`;
  return Number(workers) === 1 ? undefined : 'workers have not yet started';
}
