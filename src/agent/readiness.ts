import type { AdminClient } from '../envoy/index.ts';
import { FakeIstiodError } from '../errors.ts';
import { agentReadiness, agentStatsFilter, newAgentMemory, type AgentMemory } from '../sidecar/agent-readiness.ts';

/** What pilot-agent asks before it says that the pod is ready; first trouble wins. */
export interface ReadinessOptions {
  /** Envoy's admin API; undefined where there is no Envoy. */
  admin(): AdminClient | undefined;
  /** Whether there is to be an Envoy at all. */
  readonly hasEnvoy: boolean;
  /** Why the agent goes away, once it does. */
  terminated(): string | undefined;
  /** Why the agent itself is not ready. */
  agentTrouble(): string | undefined;
}

/** pilot-agent's probe: Envoy by four of its stats, then the agent itself (istio pilot/cmd/pilot-agent/status). */
export class Readiness {
  readonly #options: ReadinessOptions;
  #memory: AgentMemory = newAgentMemory;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Why the pod is not ready, in pilot-agent's words; undefined if it is. */
  async trouble(): Promise<string | undefined> {
    return (this.#options.hasEnvoy ? await this.envoyTrouble() : undefined) ?? this.#options.agentTrouble();
  }

  /** Why Envoy is not. */
  async envoyTrouble(): Promise<string | undefined> {
    if (this.#memory.wasLive) return this.#terminated();
    const admin = this.#options.admin();
    if (!admin) return 'failed to get readiness stats: Envoy has not opened its admin API yet';
    try {
      const { memory, verdict } = agentReadiness(this.#memory, await admin.stats({ filter: agentStatsFilter, usedOnly: true }));
      this.#memory = memory;
      return verdict === 'ready' ? this.#terminated() : verdict;
    } catch (error) {
      return `failed to get readiness stats: ${FakeIstiodError.from(error).message}`;
    }
  }

  #terminated(): string | undefined {
    const why = this.#options.terminated();
    return why === undefined ? undefined : `server is terminated: ${why}`;
  }
}
