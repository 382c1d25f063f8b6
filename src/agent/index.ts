/** Entry point `fake-istiod/agent`: a running stand-in for pilot-agent. */
export { startAgent } from './agent.ts';
export type { Agent, AgentEnd } from './agent.ts';
export { agentLogText } from './agent-log.ts';
export type { AgentLogLevel, AgentLogLine } from './agent-log.ts';
export type { AgentEnvoy, AgentOptions, AgentPorts, AgentWorkload, BootstrapPlace } from './options.ts';
export type { AppProber } from './app-probers.ts';
export type { ScrapeTarget } from './merged-metrics.ts';
export type { WorkloadProbe } from './health-checker.ts';
export { waitUntilReady } from './wait-ready.ts';
export type { WaitReadyOptions } from './wait-ready.ts';
